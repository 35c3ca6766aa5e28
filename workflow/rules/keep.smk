# To keep and to cite: what a run has published, so that it can be compared and handed on.


rule manifest:
    input:
        plan.kept,
        # Whatever changes in it changes a part of the report, which is published.
        asked=ancient("<plan>/manifest.json"),
        code="<plan>/code/manifest.json",
    output:
        plan.manifest,
    log:
        "<logs>/manifest.log",
    benchmark:
        "<logs>/benchmarks/manifest.tsv"
    threads: 1
    params:
        root=plan.run.root,
    message:
        "Writing the manifest"
    shell:
        "run tcpgoodput.keeping.make {input.asked:q} {params.root:q} {output:q} > {log:q} 2>&1"


rule describe:
    input:
        plan.tables,
        columns="workflow/columns.yaml",
        asked=ancient("<plan>/tables.json"),
        code="<plan>/code/describe.json",
    output:
        "<results>/datapackage.json",
    log:
        "<logs>/describe.log",
    benchmark:
        "<logs>/benchmarks/describe.tsv"
    threads: 1
    params:
        root=plan.run.root,
    message:
        "Describing the published tables"
    shell:
        "run tcpgoodput.keeping.describe {input.asked:q} {input.columns:q} {params.root:q}"
        " {output:q} > {log:q} 2>&1"


# Asked for by name, and then made of the files as they are now.
rule archive:
    output:
        plan.archive,
    log:
        "<logs>/archive.log",
    threads: 1
    params:
        asked_at=plan.began,
    message:
        "Packing the project"
    shell:
        "run tcpgoodput.keeping.archive {output:q} > {log:q} 2>&1"


# Asked for by name, for it holds a copy of every published file.
rule crate:
    input:
        plan.kept,
        manifest="<results>/manifest.json",
        cells="<results>/manifest.parquet",
        described="<results>/datapackage.json",
        cited="CITATION.cff",
        code="<plan>/code/crate.json",
    output:
        directory("<results>/crate"),
    log:
        "<logs>/crate.log",
    threads: 1
    params:
        root=plan.run.root,
    message:
        "Packing the run as an RO-Crate"
    shell:
        "run tcpgoodput.keeping.crate {input.manifest:q} {params.root:q} {output:q}"
        " > {log:q} 2>&1"
