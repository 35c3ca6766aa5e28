# Numbers first, pictures after: a changed label redraws, it does not recompute.


rule warm_caches:
    # One job builds what parallel jobs would race for: matplotlib's font list and numba's code.
    output:
        touch("results/.caches-warm"),
    log:
        "logs/warm_caches.log",
    benchmark:
        "logs/benchmarks/warm_caches.tsv"
    params:
        code=plan.code("models", "simulator"),
    message:
        "Compiling the fluid model, listing fonts"
    shell:
        "{plan.python} -m tcpgoodput.workflow warm > {log} 2>&1"


rule figure_data:
    input:
        ancient("results/.caches-warm"),
    output:
        rows="results/{source}/computed/{figure}.csv",
        notes="results/{source}/computed/{figure}.notes.json",
    log:
        "logs/figure_data/{source}/{figure}.log",
    benchmark:
        "logs/benchmarks/figure_data/{source}/{figure}.tsv"
    params:
        asked=lambda wildcards: plan.asked(wildcards.source, wildcards.figure),
        code=lambda wildcards: plan.code("models", "scenario", "simulator", "figures"),
    message:
        "Computing {wildcards.source} {wildcards.figure}"
    shell:
        "{plan.python} -m tcpgoodput.figures {plan.changes:q} compute {plan.path:q}"
        " {wildcards.source} {wildcards.figure} {output.rows:q} > {log} 2>&1"


# One notebook a source: a kernel costs more to start than most figures to draw.
for source in plan.sources:

    rule:
        name:
            f"draw_{source}"
        input:
            rows=plan.computed(source),
            notebook=plan.notebook(source),
        output:
            pictures=plan.pictures(source),
            published=plan.published(source),
            notebook=f"results/{source}/{source}.ipynb",
            gallery=f"results/{source}/gallery.json",
        log:
            f"logs/draw_{source}.log",
        benchmark:
            f"logs/benchmarks/draw_{source}.tsv"
        retries: 2  # parallel kernels may pick the same port
        params:
            source=source,
            shown=plan.shown(source),
            code=plan.code("figures"),
        message:
            f"Drawing the figures of {source}"
        shell:
            "({plan.python} -m tcpgoodput.gallery {plan.changes:q} {plan.path:q} {params.source}"
            " {output.gallery:q} && {plan.python} -m papermill --no-progress-bar"
            " -p gallery {output.gallery:q} {input.notebook:q} {output.notebook:q}) > {log} 2>&1"
