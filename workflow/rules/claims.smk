# Claims: what the sources say, held against what all figures answer.


rule claims:
    input:
        ancient(expand(".cache/warm/{cache}", cache=["fonts", "models"])),
        answers=plan.answers,
        notebook="notebooks/claims.ipynb",
        asked="<plan>/claims.json",
        code="<plan>/code/claims.json",
    output:
        of_all_studies(plan, "Claims", plan.claims),
    log:
        "<logs>/claims.log",
    benchmark:
        "<logs>/benchmarks/claims.tsv"
    threads: 1
    message:
        "Putting the claims to the test"
    shell:
        "run tcpgoodput.ledger {input.asked:q} {input.notebook:q} $results > {log:q} 2>&1"
