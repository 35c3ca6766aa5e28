# All models side by side. What is simulated, a job for each scenario's file and each map, is kept
# apart from what models say of it: a new model simulates nothing again. The maps' pictures have a
# notebook of their own: a new scenario leaves them as they are.


rule measure_scenario:
    input:
        ancient(".cache/warm/engines"),
    output:
        "<results>/comparison/measured/scenarios/{scenario}.json",
    log:
        "<logs>/measure_scenario/{scenario}.log",
    benchmark:
        "<logs>/benchmarks/measure_scenario/{scenario}.tsv"
    wildcard_constraints:
        scenario=plan.names_of(plan.compared_files),
    params:
        asked=lambda wildcards: plan.compared(wildcards.scenario),
        code=plan.measuring_code,
    message:
        "Measuring {wildcards.scenario}"
    shell:
        "job tcpgoodput.comparison"
        " measure-scenario {wildcards.scenario:q} {output:q} > {log:q} 2>&1"


rule measure_map:
    input:
        ancient(".cache/warm/engines"),
    output:
        "<results>/comparison/measured/maps/{map}.csv",
    log:
        "<logs>/measure_map/{map}.log",
    benchmark:
        "<logs>/benchmarks/measure_map/{map}.tsv"
    wildcard_constraints:
        map=plan.names_of(plan.mapped_regions),
    priority: 1  # the longest of the comparison's jobs
    params:
        asked=lambda wildcards: plan.mapped(wildcards.map),
        code=plan.measuring_code,
    message:
        "Measuring the map {wildcards.map}"
    shell:
        "job tcpgoodput.comparison measure-map {wildcards.map:q} {output:q} > {log:q} 2>&1"


rule answer_map:
    input:
        ancient(".cache/warm/models"),
        measured="<results>/comparison/measured/maps/{map}.csv",
    output:
        "<results>/comparison/maps/{map}.csv",
    log:
        "<logs>/answer_map/{map}.log",
    benchmark:
        "<logs>/benchmarks/answer_map/{map}.tsv"
    wildcard_constraints:
        map=plan.names_of(plan.mapped_regions),
    params:
        models=lambda wildcards: plan.models_of_map(wildcards.map),
        code=plan.answering_code,
    message:
        "Asking the models about the map {wildcards.map}"
    shell:
        "job tcpgoodput.comparison"
        " answer-map {wildcards.map:q} {input.measured:q} {output:q} > {log:q} 2>&1"


if plan.compared_files:

    rule answer_scenarios:
        input:
            ancient(".cache/warm/models"),
            measured=plan.measured_parts,
        output:
            plan.compared_parts,
        log:
            "<logs>/answer_scenarios.log",
        benchmark:
            "<logs>/benchmarks/answer_scenarios.tsv"
        params:
            equations=plan.configuration.settings.equations,
            code=plan.answering_code,
        message:
            "Asking the models about every scenario"
        shell:
            "job tcpgoodput.comparison"
            " answer-scenarios $results/comparison/scenarios {input.measured:q}"
            " > {log:q} 2>&1"

    rule comparison:
        input:
            ancient(".cache/warm/fonts"),
            parts=plan.compared_parts,
            notebook="notebooks/comparison.ipynb",
        output:
            pictures=of_all_studies(plan, "Comparison", plan.comparison_pictures),
            tables=of_all_studies(plan, "Comparison", plan.comparison_tables),
            notebook="<results>/comparison/comparison.ipynb",
            description="<results>/comparison/comparison.json",
        log:
            "<logs>/comparison.log",
        benchmark:
            "<logs>/benchmarks/comparison.tsv"
        params:
            shown=plan.comparison_shown("comparison"),
            code=plan.code("studies", "drawing", "comparison"),
        message:
            "Drawing the comparison"
        shell:
            "job tcpgoodput.comparison.notebook"
            " comparison {input.notebook:q} $results/comparison > {log:q} 2>&1"

    # The picture is tracked, so that the README shows it; Snakemake deletes outputs of jobs that fail.
    rule overview:
        input:
            matrix="<figures>/comparison/matrix.png",
            table="<results>/comparison.csv",
        log:
            "<logs>/overview.log",
        message:
            "Making paper/matrix.png, the README's picture"
        shell:
            "run tcpgoodput.comparison.overview {input.matrix:q} {input.table:q} paper/matrix.png"
            " > {log:q} 2>&1"


if plan.mapped_regions:

    rule comparison_maps:
        input:
            ancient(".cache/warm/fonts"),
            parts=plan.mapped_parts,
            notebook="notebooks/comparison_maps.ipynb",
        output:
            pictures=of_all_studies(plan, "Comparison", plan.map_pictures),
            notebook="<results>/comparison/comparison_maps.ipynb",
            description="<results>/comparison/comparison_maps.json",
        log:
            "<logs>/comparison_maps.log",
        benchmark:
            "<logs>/benchmarks/comparison_maps.tsv"
        params:
            shown=plan.comparison_shown("comparison_maps"),
            code=plan.code("studies", "drawing", "comparison"),
        message:
            "Drawing the comparison's maps"
        shell:
            "job tcpgoodput.comparison.notebook"
            " comparison_maps {input.notebook:q} $results/comparison > {log:q} 2>&1"
