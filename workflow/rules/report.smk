# The report: every number, table and list in it is made from results.


rule report_parts:
    input:
        rows=[row for source in plan.sources for row in plan.published(source)],
        compared=plan.comparison_tables,
        maps=plan.mapped_parts,
        records=plan.records,
        referees="<results>/referees.csv",
        claims="<results>/claims.csv",
    output:
        of_all_studies(plan, "Report", plan.report_parts),
    log:
        "<logs>/report_parts.log",
    benchmark:
        "<logs>/benchmarks/report_parts.tsv"
    params:
        shown=[plan.shown(source) for source in plan.sources],
        code=plan.code(
            "models",
            "scenario",
            "studies",
            "claims",
            "comparison",
            "referees",
            "report",
        ),
    message:
        "Writing the report's numbers and tables"
    shell:
        "job tcpgoodput.report $results > {log:q} 2>&1"


if plan.typesetter:

    rule report:
        input:
            parts=plan.report_parts,
            pictures=[
                p for s in plan.sources for p in plan.pictures(s) if p.endswith(".pdf")
            ],
            verdicts="<figures>/claims/verdicts.pdf",
            referees=[p for p in plan.agreement if p.endswith(".pdf")],
            compared=[
                p
                for p in [*plan.comparison_pictures, *plan.map_pictures]
                if p.endswith(".pdf")
            ],
            sources=plan.paper_sources,
        output:
            of_all_studies(plan, "Report", [plan.run.report]),
        log:
            "<logs>/report.log",
        benchmark:
            "<logs>/benchmarks/report.tsv"
        message:
            "Typesetting the report"
        shell:
            "run tcpgoodput.report.typeset {output:q} > {log:q} 2>&1"
