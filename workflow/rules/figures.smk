# Numbers first, pictures after: a changed label redraws, it does not recompute.


rule warm:
    # One job builds what parallel jobs would race for: matplotlib's font list and numba's code.
    # Changed code does not rerun it: Snakemake would then put off all that depends on it, and
    # whoever needs the new code first compiles it.
    output:
        touch(".cache/warm/{cache}"),
    log:
        "<logs>/warm/{cache}.log",
    benchmark:
        "<logs>/benchmarks/warm/{cache}.tsv"
    message:
        "Preparing {wildcards.cache}"
    shell:
        "run tcpgoodput.workflow.caches {wildcards.cache} > {log:q} 2>&1"


# What costs less than an interpreter's start is computed together, the rest on its own.
for source in plan.sources:
    for batch, figures in plan.batches(source).items():

        rule:
            name:
                f"figure_data_{source}_{batch}"
            input:
                ancient(plan.caches(source, figures)),
                plan.measured(source, figures),
                plan.recorded(source),
            output:
                rows=[f"<results>/{source}/computed/{figure}.csv" for figure in figures],
                notes=[
                    f"<results>/{source}/computed/{figure}.notes.json"
                    for figure in figures
                ],
            log:
                f"<logs>/figure_data/{source}/{batch}.log",
            benchmark:
                f"<logs>/benchmarks/figure_data/{source}/{batch}.tsv"
            priority: int(batch in figures)  # alone, since costly: its study's pictures wait for it
            params:
                source=source,
                figures=figures,
                asked=[plan.asked(source, figure) for figure in figures],
                code=plan.figure_code(source, figures),
            message:
                f"Computing {source} {batch}"
            shell:
                "job tcpgoodput.studies compute"
                " {params.source} $results/{params.source}/computed {params.figures}"
                " > {log:q} 2>&1"


# One notebook a source: a job costs more to start than most figures to draw.
for source in plan.sources:

    rule:
        name:
            f"draw_{source}"
        input:
            ancient(".cache/warm/fonts"),
            rows=plan.computed(source),
            notebook=plan.notebook(source),
        output:
            pictures=of_study(plan, source, plan.pictures(source)),
            published=of_study(plan, source, plan.published(source)),
            notebook=f"<results>/{source}/{source}.ipynb",
            gallery=f"<results>/{source}/gallery.json",
        log:
            f"<logs>/draw_{source}.log",
        benchmark:
            f"<logs>/benchmarks/draw_{source}.tsv"
        priority: 1  # claims wait for all pictures; the comparison is drawn beside them
        params:
            source=source,
            shown=plan.shown(source),
            code=plan.code("studies", "drawing"),
        message:
            f"Drawing the figures of {source}"
        shell:
            "job tcpgoodput.drawing.gallery {params.source}"
            " {input.notebook:q} $results/{params.source} > {log:q} 2>&1"
