# The site: the documentation, and the notebooks as the run has executed them. It is not part of
# `all`: who wants to read asks for it.


rule site:
    input:
        notebooks=plan.executed_notebooks,
        pages=own_files(),
        records=plan.records,
        style="config/style.yaml",
        code="<plan>/code/site.json",
    output:
        "<results>/site/index.html",
    log:
        "<logs>/site.log",
    benchmark:
        "<logs>/benchmarks/site.tsv"
    threads: 1
    message:
        "Building the site"
    shell:
        "run tcpgoodput.site {output:q} {input.notebooks:q} > {log:q} 2>&1"
