# All models side by side. What is measured is kept apart from what models say of it: a new model
# measures nothing again. The maps' pictures have a notebook of their own: a new scenario leaves
# them as they are.


rule answer_map:
    input:
        ancient(".cache/warm/models"),
        measured="<results>/measurements/maps/{map}.csv",
        asked="<plan>/answers/maps/{map}.json",
        code="<plan>/code/answer_comparison.json",
    output:
        "<results>/comparison/maps/{map}.csv",
    log:
        "<logs>/answer_map/{map}.log",
    benchmark:
        "<logs>/benchmarks/answer_map/{map}.tsv"
    wildcard_constraints:
        map=NAME,
    threads: 1
    message:
        "Asking the models about the map {wildcards.map}"
    shell:
        "run tcpgoodput.comparison.answer map {input.asked:q} {output:q} {input.measured:q}"
        " > {log:q} 2>&1"


rule draw_comparison:
    input:
        ancient(".cache/warm/fonts"),
        lambda wildcards: plan.comparison.shown_by(wildcards.picture),
        looks=lambda wildcards: plan.comparison.looks_of(wildcards.picture),
        code="<plan>/code/draw_comparison.json",
    output:
        pdf="<figures>/comparison/{picture}.pdf",
        png=of_comparison("<figures>/comparison/{picture}.png"),
    log:
        "<logs>/draw_comparison/{picture}.log",
    benchmark:
        "<logs>/benchmarks/draw_comparison/{picture}.tsv"
    wildcard_constraints:
        picture=NAME,
    threads: 1
    params:
        caption=lambda wildcards: plan.comparison.caption(wildcards.picture),
    message:
        "Drawing the comparison's {wildcards.picture}"
    shell:
        "brief tcpgoodput.drawing.comparison {input.looks:q} $results/comparison {output.pdf:q}"
        " > {log:q} 2>&1"


rule show_comparison:
    input:
        pictures=lambda wildcards: plan.comparison.shown_in(wildcards.notebook),
        notebook="notebooks/{notebook}.ipynb",
        looks="<plan>/looks/{notebook}.json",
        code="<plan>/code/show_comparison.json",
    output:
        notebook="<results>/comparison/{notebook}.ipynb",
        description="<results>/comparison/{notebook}.json",
    log:
        "<logs>/show_comparison/{notebook}.log",
    benchmark:
        "<logs>/benchmarks/show_comparison/{notebook}.tsv"
    wildcard_constraints:
        notebook=plan.any_of(plan.comparison.shown),
    threads: 1
    message:
        "Running the notebook {wildcards.notebook}"
    shell:
        "run tcpgoodput.comparison.notebook {input.looks:q} {input.notebook:q}"
        " $results/comparison > {log:q} 2>&1"


if plan.comparison.scenarios:

    rule answer_scenarios:
        input:
            ancient(".cache/warm/models"),
            measured=plan.comparison.measured,
            asked="<plan>/answers/comparison.json",
            code="<plan>/code/answer_comparison.json",
        output:
            plan.comparison.answered,
        log:
            "<logs>/answer_scenarios.log",
        benchmark:
            "<logs>/benchmarks/answer_scenarios.tsv"
        threads: 1
        message:
            "Asking the models about every scenario"
        shell:
            "run tcpgoodput.comparison.answer scenarios {input.asked:q}"
            " $results/comparison/scenarios {input.measured:q} > {log:q} 2>&1"

    rule publish_comparison:
        input:
            parts=plan.comparison.answered,
            looks="<plan>/looks/comparison.json",
            code="<plan>/code/publish_comparison.json",
        output:
            of_all_studies(plan, "Comparison", plan.comparison.tables),
        log:
            "<logs>/publish_comparison.log",
        benchmark:
            "<logs>/benchmarks/publish_comparison.tsv"
        threads: 1
        message:
            "Publishing the comparison"
        shell:
            "run tcpgoodput.comparison.publish {input.looks:q} $results > {log:q} 2>&1"

    # The picture is tracked, so that the README shows it; Snakemake deletes outputs of jobs that fail.
    rule overview:
        input:
            matrix="<figures>/comparison/matrix.png",
            table="<results>/comparison.csv",
        log:
            "<logs>/overview.log",
        threads: 1
        message:
            "Making paper/matrix.png, the README's picture"
        shell:
            "run tcpgoodput.comparison.overview {input.matrix:q} {input.table:q} paper/matrix.png"
            " > {log:q} 2>&1"
