# Every measurement of the packet simulator, in one kind of table: of a study's figures, of the
# comparison's scenarios, of a map. What a table holds already is not measured again: a point or a
# scenario more costs that one alone. A job takes half of the cores, each of which measures connections
# of its own: where one job begins or waits for its last connection, another one is at work.


rule warm:
    # One job builds what parallel jobs would race for: matplotlib's font list and numba's code.
    # Changed code does not rerun it: whoever needs the new code first compiles it.
    output:
        touch(".cache/warm/{cache}"),
    log:
        "<logs>/warm/{cache}.log",
    benchmark:
        "<logs>/benchmarks/warm/{cache}.tsv"
    wildcard_constraints:
        cache="fonts|models|engines",
    threads: 1
    message:
        "Preparing {wildcards.cache}"
    shell:
        "run tcpgoodput.workflow.caches {wildcards.cache} > {log:q} 2>&1"


rule measure:
    input:
        ancient(".cache/warm/engines"),
        asked="<plan>/points/{part}.json",
        code="<plan>/code/measure.json",
    output:
        update("<results>/measurements/{part}.csv"),
    log:
        "<logs>/measure/{part}.log",
    benchmark:
        "<logs>/benchmarks/measure/{part}.tsv"
    priority: 2  # the longest way to the report begins here
    threads: (workflow.cores + 1) // 2
    message:
        "Measuring {wildcards.part}"
    shell:
        "run tcpgoodput.engines.measure {threads} {input.asked:q} {input.code:q} {output:q}"
        " > {log:q} 2>&1"
