# Censuses: random connections in chunks, measured, answered, joined. The main job measures a small
# sample of each and reads what is recorded of the whole; `snakemake census` measures it all.


CHUNK = r"\d+-\d+"
CENSUS = plan.any_of(list(plan.censuses))
EXTENT = "sample|whole|recorded"


rule census_measure:
    input:
        ancient(".cache/warm/engines"),
        asked="<plan>/points/census/{census}.json",
        code="<plan>/code/census_measure.json",
    output:
        "<results>/census/{census}/measured/{chunk}.parquet",
    log:
        "<logs>/census_measure/{census}/{chunk}.log",
    benchmark:
        "<logs>/benchmarks/census_measure/{census}/{chunk}.tsv"
    wildcard_constraints:
        census=CENSUS,
        chunk=CHUNK,
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: attempt
        * plan.censuses[wildcards.census].minutes,
    message:
        "Measuring points {wildcards.chunk} of the census {wildcards.census}"
    shell:
        "run tcpgoodput.census.measure {input.asked:q} {output:q} > {log:q} 2>&1"


rule census_answer:
    input:
        ancient(".cache/warm/models"),
        measured="<results>/census/{census}/measured/{chunk}.parquet",
        asked="<plan>/answers/census/{census}.json",
        code="<plan>/code/census_answer.json",
    output:
        "<results>/census/{census}/answered/{chunk}.parquet",
    log:
        "<logs>/census_answer/{census}/{chunk}.log",
    benchmark:
        "<logs>/benchmarks/census_answer/{census}/{chunk}.tsv"
    wildcard_constraints:
        census=CENSUS,
        chunk=CHUNK,
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: attempt
        * plan.censuses[wildcards.census].minutes,
    message:
        "Asking the models about points {wildcards.chunk} of the census {wildcards.census}"
    shell:
        "run tcpgoodput.census.answer {input.asked:q} {input.measured:q} {output:q}"
        " > {log:q} 2>&1"


rule census_join:
    input:
        parts=lambda wildcards: plan.censuses[wildcards.census].answered(
            wildcards.extent
        ),
        asked="<plan>/answers/census/{census}.json",
        code="<plan>/code/census_join.json",
    output:
        "<results>/census/{census}/{extent}.parquet",
    log:
        "<logs>/census_join/{census}/{extent}.log",
    benchmark:
        "<logs>/benchmarks/census_join/{census}/{extent}.tsv"
    wildcard_constraints:
        census=CENSUS,
        extent="sample|whole",
    localrule: True
    threads: 1
    message:
        "Joining the census {wildcards.census} ({wildcards.extent})"
    shell:
        "run tcpgoodput.census.join {input.asked:q} {output:q} {input.parts:q} > {log:q} 2>&1"


rule census_read:
    input:
        table=lambda wildcards: plan.censuses[wildcards.census].table(wildcards.extent),
        looks="<plan>/looks/census/{census}.json",
        code="<plan>/code/census_read.json",
    output:
        expand("<results>/census/{{census}}/{{extent}}/{finding}.csv", finding=FINDINGS),
    log:
        "<logs>/census_read/{census}/{extent}.log",
    benchmark:
        "<logs>/benchmarks/census_read/{census}/{extent}.tsv"
    wildcard_constraints:
        census=CENSUS,
        extent=EXTENT,
    localrule: True
    threads: 1
    message:
        "Reading the census {wildcards.census} ({wildcards.extent})"
    shell:
        "run tcpgoodput.census.read {input.looks:q} {input.table:q}"
        " $results/census/{wildcards.census}/{wildcards.extent} > {log:q} 2>&1"


# As much of the census beside as there is of this one: that of a record is kept, too.
rule census_beside:
    input:
        table=lambda wildcards: plan.censuses[wildcards.census].table(wildcards.extent),
        beside=lambda wildcards: plan.beside(wildcards.census, wildcards.extent),
        tree="<results>/census/{census}/{extent}/tree.csv",
        tree_beside=lambda wildcards: plan.tree_beside(
            wildcards.census, wildcards.extent
        ),
        looks="<plan>/looks/census/{census}.json",
        code="<plan>/code/census_beside.json",
    output:
        expand("<results>/census/{{census}}/{{extent}}/{finding}.csv", finding=BESIDE),
    log:
        "<logs>/census_beside/{census}/{extent}.log",
    benchmark:
        "<logs>/benchmarks/census_beside/{census}/{extent}.tsv"
    wildcard_constraints:
        census=plan.any_of(
            [n for n, files in plan.censuses.items() if files.space.census.beside]
        ),
        extent=EXTENT,
    localrule: True
    threads: 1
    message:
        "Reading the census {wildcards.census} beside the other ({wildcards.extent})"
    shell:
        "run tcpgoodput.census.beside {input.looks:q} {input.table:q} {input.beside:q}"
        " {input.tree:q} {input.tree_beside:q}"
        " $results/census/{wildcards.census}/{wildcards.extent} > {log:q} 2>&1"


rule draw_census:
    input:
        ancient(".cache/warm/fonts"),
        findings=expand(
            "<results>/census/{{census}}/{{extent}}/{finding}.csv", finding=FINDINGS
        ),
        looks="<plan>/looks/census/{census}.json",
        code="<plan>/code/draw_census.json",
    output:
        pdf="<figures>/census/{census}/{extent}/{picture}.pdf",
        png="<figures>/census/{census}/{extent}/{picture}.png",
    log:
        "<logs>/draw_census/{census}/{extent}_{picture}.log",
    benchmark:
        "<logs>/benchmarks/draw_census/{census}/{extent}_{picture}.tsv"
    wildcard_constraints:
        census=CENSUS,
        extent=EXTENT,
        picture=NAME,
    localrule: True
    threads: 1
    message:
        "Drawing the {wildcards.picture} of the census {wildcards.census}"
    shell:
        "brief tcpgoodput.drawing.census {input.looks:q}"
        " $results/census/{wildcards.census}/{wildcards.extent} {output.pdf:q} > {log:q} 2>&1"


# Asked for by name: `snakemake census`. What it found is kept by `snakemake record_census`.
rule census:
    input:
        [file for files in plan.censuses.values() for file in files.findings("whole")],
        [
            file
            for files in plan.censuses.values()
            for file in files.told_beside("whole")
        ],
        [file for files in plan.censuses.values() for file in files.pictures("whole")],
    localrule: True


# The records themselves are no outputs: Snakemake deletes those of a job that fails.
rule keep_census:
    input:
        table="<results>/census/{census}/whole.parquet",
        asked="<plan>/answers/census/{census}.json",
    output:
        "<results>/census/{census}/kept.json",
    log:
        "<logs>/keep_census/{census}.log",
    wildcard_constraints:
        census=CENSUS,
    localrule: True
    threads: 1
    message:
        "Keeping the census {wildcards.census} in data/census"
    shell:
        "run tcpgoodput.census.keep {input.asked:q} {input.table:q} data/census {output:q}"
        " > {log:q} 2>&1"


rule record_census:
    input:
        expand("<results>/census/{census}/kept.json", census=plan.censuses),
    localrule: True
