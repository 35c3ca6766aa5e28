# What figures ask engines to measure, in one notebook a source, apart from all drawing.


for source in plan.simulated_sources:

    rule:
        name:
            f"simulate_{source}"
        input:
            ancient([".cache/warm/fonts", ".cache/warm/engines"]),
            notebook="notebooks/simulation.ipynb",
        output:
            measured=plan.measured(source),
            notebook=f"<results>/{source}/simulation.ipynb",
            plan=f"<results>/{source}/simulation.json",
        log:
            f"<logs>/simulate_{source}.log",
        benchmark:
            f"<logs>/benchmarks/simulate_{source}.tsv"
        priority: 1  # the longest way to the report begins here
        params:
            source=source,
            asked=plan.measurements(source),
            code=plan.code("scenario", "simulator", "engines", "numerics"),
        message:
            f"Simulating what the figures of {source} ask for"
        shell:
            "job tcpgoodput.studies.simulations"
            " {params.source} {input.notebook:q} $results/{params.source} > {log:q} 2>&1"
