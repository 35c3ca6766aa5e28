# Every measurement of the packet simulator, in one kind of table: of a study's figures, of the
# comparison's scenarios, of a map. What a table holds already is not measured again.


# Parallel jobs would race for what the first of them compiles: numba's code, matplotlib's list of
# fonts. Changed code is compiled by whoever needs it first.
onstart:
    if not Path(".cache/warm").is_file():
        print(
            "Compiling the simulator and the models, once: a minute.",
            file=sys.stderr,
        )
        shell("python -m tcpgoodput.engines.caches > /dev/null")
        Path(".cache/warm").touch()


rule simulate:
    input:
        notebook=notebook("simulate"),
    output:
        table=update(f"{RESULTS}/measurements/{{part}}.csv"),
        notebook=f"{RESULTS}/measurements/{{part}}.ipynb",
    log:
        f"{LOGS}/simulate/{{part}}.log",
    benchmark:
        f"{LOGS}/benchmarks/simulate/{{part}}.tsv"
    wildcard_constraints:
        part="|".join(PARTS),
    priority: 2  # the longest way to the report begins here
    threads: (workflow.cores + 1) // 2
    params:
        parameters=lambda wildcards, output, threads: parameters(
            part=wildcards.part, table=output.table, cores=threads
        ),
        # Of the connections, not of the words around them: a changed label measures nothing.
        asked=lambda wildcards: PARTS[wildcards.part],
        code=code("engines.measure", "engines.packet", "engines.closeness"),
    message:
        "Measuring {wildcards.part}"
    shell:
        RUN_NOTEBOOK
