# A study's figures, each in three steps: its numbers, their publication, its picture. Then its
# notebook, which teaches the model and shows them.


rule answer:
    input:
        lambda wildcards: [ancient(cache) for cache in plan.caches_of(**wildcards)],
        lambda wildcards: plan.records_of(**wildcards),
        measured=lambda wildcards: plan.measured_for(**wildcards),
        asked="<plan>/answers/{study}/{figure}.json",
        code="<plan>/code/answer.json",
    output:
        answers="<results>/{study}/answers/{figure}.csv",
        beside="<results>/{study}/answers/{figure}.json",
    log:
        "<logs>/answer/{study}/{figure}.log",
    benchmark:
        "<logs>/benchmarks/answer/{study}/{figure}.tsv"
    wildcard_constraints:
        study=plan.any_of(plan.studies),
        figure=NAME,
    threads: 1
    message:
        "Computing {wildcards.study} {wildcards.figure}"
    shell:
        "brief tcpgoodput.studies.answer {input.asked:q} {output.answers:q} {input.measured:q}"
        " > {log:q} 2>&1"


rule publish:
    input:
        answers="<results>/{study}/answers/{figure}.csv",
        labels="<plan>/labels/{study}/{figure}.json",
        code="<plan>/code/publish.json",
    output:
        exhibit(plan, "<results>/{study}/{figure}.csv"),
    log:
        "<logs>/publish/{study}/{figure}.log",
    benchmark:
        "<logs>/benchmarks/publish/{study}/{figure}.tsv"
    wildcard_constraints:
        study=plan.any_of(plan.studies),
        figure=NAME,
    threads: 1
    params:
        caption=lambda wildcards: plan.caption(**wildcards),
    message:
        "Publishing {wildcards.study} {wildcards.figure}"
    shell:
        "run tcpgoodput.studies.publish {input.answers:q} {input.labels:q} {output:q}"
        " > {log:q} 2>&1"


rule draw:
    input:
        ancient(".cache/warm/fonts"),
        published="<results>/{study}/{figure}.csv",
        beside="<results>/{study}/answers/{figure}.json",
        looks="<plan>/looks/{study}/{figure}.json",
        code="<plan>/code/draw.json",
    output:
        pdf="<figures>/{study}/{figure}.pdf",
        png=exhibit(plan, "<figures>/{study}/{figure}.png"),
    log:
        "<logs>/draw/{study}/{figure}.log",
    benchmark:
        "<logs>/benchmarks/draw/{study}/{figure}.tsv"
    wildcard_constraints:
        study=plan.any_of(plan.studies),
        figure=NAME,
    threads: 1
    params:
        caption=lambda wildcards: plan.caption(**wildcards),
    message:
        "Drawing {wildcards.study} {wildcards.figure}"
    shell:
        "brief tcpgoodput.drawing.figure {input.published:q} {input.beside:q} {input.looks:q}"
        " {output.pdf:q} > {log:q} 2>&1"


rule show:
    input:
        ancient(expand(".cache/warm/{cache}", cache=["fonts", "models", "engines"])),
        lambda wildcards: plan.shown(wildcards.study),
        notebook=lambda wildcards: plan.notebook(wildcards.study),
        study="<plan>/studies/{study}.json",
        code="<plan>/code/show.json",
    output:
        notebook="<results>/{study}/{study}.ipynb",
        study="<results>/{study}/study.json",
    log:
        "<logs>/show/{study}.log",
    benchmark:
        "<logs>/benchmarks/show/{study}.tsv"
    wildcard_constraints:
        study=plan.any_of(plan.studies),
    threads: 1
    message:
        "Running the notebook of {wildcards.study}"
    shell:
        "run tcpgoodput.workflow.show {input.study:q} {input.notebook:q} {output.notebook:q}"
        " > {log:q} 2>&1"
