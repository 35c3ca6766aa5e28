# The explorer's static page: one file that shows what a run has found, without a server or a network.

if plan.explorer:

    rule answer_explorer:
        input:
            ancient(expand(".cache/warm/{cache}", cache=["models", "engines"])),
            measured="<results>/measurements/explorer.csv",
            compared=plan.comparison.answered,
            sample=plan.sample,
            asked="<plan>/answers/explorer.json",
            code="<plan>/code/answer_explorer.json",
        output:
            "<results>/explorer.json",
        log:
            "<logs>/answer_explorer.log",
        benchmark:
            "<logs>/benchmarks/answer_explorer.tsv"
        threads: 1
        message:
            "Asking the models along the explorer's sweeps"
        shell:
            "run tcpgoodput.explorer.answer {input.asked:q} {input.measured:q} {output:q}"
            " {input.compared:q} > {log:q} 2>&1"

    rule explorer:
        input:
            answers="<results>/explorer.json",
            pictures=plan.explored_pictures,
            rows=plan.published,
            compared=plan.comparison.tables,
            claims="<results>/claims.csv",
            asked="<plan>/explorer.json",
            code="<plan>/code/explorer.json",
        output:
            plan.explorer,
        log:
            "<logs>/explorer.log",
        benchmark:
            "<logs>/benchmarks/explorer.tsv"
        threads: 1
        params:
            figures=lambda wildcards: plan.run.figures,
        message:
            "Making the explorer's page"
        shell:
            "run tcpgoodput.explorer.static_page {input.asked:q} {input.answers:q} $results"
            " {params.figures:q} {output:q} > {log:q} 2>&1"
