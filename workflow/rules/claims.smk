# Claims: what the sources say, held against the published results of all figures.


rule claims:
    input:
        ancient(plan.caches_of_claims),
        rows=[row for source in plan.sources for row in plan.published(source)],
        notebook="notebooks/claims.ipynb",
    output:
        of_all_studies(plan, "Claims", plan.claims),
    log:
        "<logs>/claims.log",
    benchmark:
        "<logs>/benchmarks/claims.tsv"
    params:
        claimed=plan.claimed,
        code=plan.code("claims", "models", "scenario", "studies", "drawing"),
    message:
        "Putting the claims to the test"
    shell:
        "job tcpgoodput.claims {input.notebook:q} $results > {log:q} 2>&1"
