# All models side by side: a job for each scenario's file and for each map, then the pictures, of
# the maps in a notebook of their own: a new scenario leaves them as they are.


rule compare_scenario:
    input:
        ancient([".cache/warm/models", ".cache/warm/engines"]),
    output:
        "<results>/comparison/scenarios/{scenario}.json",
    log:
        "<logs>/compare_scenario/{scenario}.log",
    benchmark:
        "<logs>/benchmarks/compare_scenario/{scenario}.tsv"
    wildcard_constraints:
        scenario=plan.names_of(plan.compared_files),
    params:
        asked=lambda wildcards: plan.compared(wildcards.scenario),
        code=plan.code("models", "scenario", "simulator", "engines", "comparison"),
    message:
        "Comparing the models on {wildcards.scenario}"
    shell:
        "{plan.python:q} -m tcpgoodput.comparison {plan.changes:q} {plan.path:q}"
        " scenario {wildcards.scenario:q} {output:q} > {log:q} 2>&1"


rule compare_region:
    input:
        ancient([".cache/warm/models", ".cache/warm/engines"]),
    output:
        "<results>/comparison/maps/{region}.csv",
    log:
        "<logs>/compare_region/{region}.log",
    benchmark:
        "<logs>/benchmarks/compare_region/{region}.tsv"
    wildcard_constraints:
        region=plan.names_of(plan.mapped_regions),
    params:
        asked=lambda wildcards: plan.mapped(wildcards.region),
        code=plan.code("models", "scenario", "simulator", "engines", "comparison"),
    message:
        "Comparing the models over the map {wildcards.region}"
    shell:
        "{plan.python:q} -m tcpgoodput.comparison {plan.changes:q} {plan.path:q}"
        " map {wildcards.region:q} {output:q} > {log:q} 2>&1"


if plan.compared_files:

    rule comparison:
        input:
            ancient(".cache/warm/fonts"),
            parts=plan.compared_parts,
            notebook="notebooks/comparison.ipynb",
        output:
            pictures=plan.comparison_pictures,
            tables=plan.comparison_tables,
            notebook="<results>/comparison/comparison.ipynb",
            description="<results>/comparison/comparison.json",
        log:
            "<logs>/comparison.log",
        benchmark:
            "<logs>/benchmarks/comparison.tsv"
        params:
            shown=plan.comparison_shown("comparison"),
            code=plan.code("figures", "ranking"),
        message:
            "Drawing the comparison"
        shell:
            "{plan.python:q} -m tcpgoodput.ranking.notebook {plan.changes:q} {plan.path:q}"
            " comparison {input.notebook:q} {plan.run.results}/comparison > {log:q} 2>&1"


if plan.mapped_regions:

    rule comparison_maps:
        input:
            ancient(".cache/warm/fonts"),
            parts=plan.mapped_parts,
            notebook="notebooks/comparison_maps.ipynb",
        output:
            pictures=plan.map_pictures,
            notebook="<results>/comparison/comparison_maps.ipynb",
            description="<results>/comparison/comparison_maps.json",
        log:
            "<logs>/comparison_maps.log",
        benchmark:
            "<logs>/benchmarks/comparison_maps.tsv"
        params:
            shown=plan.comparison_shown("comparison_maps"),
            code=plan.code("figures", "ranking"),
        message:
            "Drawing the comparison's maps"
        shell:
            "{plan.python:q} -m tcpgoodput.ranking.notebook {plan.changes:q} {plan.path:q}"
            " comparison_maps {input.notebook:q} {plan.run.results}/comparison > {log:q} 2>&1"
