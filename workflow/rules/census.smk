# Random samples of connections: measured and predicted in chunks, then evaluated. By default a run
# evaluates the recorded table of each whole sample in data/census. A sample without such a table is
# measured in part. `snakemake record_census` measures the whole samples.

CENSUS_PICTURES = ["errors", "calibration", "importance", "tree"]
CENSUS = f"{RESULTS}/census/{{census}}"


wildcard_constraints:
    census="|".join(CENSUSES) or "(?!)",
    extent="sample|whole|recorded",
    chunk=r"\d+-\d+",


rule census_chunk:
    input:
        OWN_MODELS,
        request=f"{CONFIGURATION.parent}/{SETTINGS.census}/{{census}}.yaml",
    output:
        chunk=f"{CENSUS}/chunks/{{chunk}}.parquet",
    log:
        f"{LOGS}/census_chunk/{{census}}/{{chunk}}.log",
    benchmark:
        f"{LOGS}/benchmarks/census_chunk/{{census}}/{{chunk}}.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=minutes,
    params:
        configuration=str(CONFIGURATION),
        changes=CHOSEN | OTHER_CHANGES,
        code=code("comparison.census.measure", "models"),
    message:
        "Measuring points {wildcards.chunk} of the sample {wildcards.census}"
    script:
        "../scripts/census_chunk.py"


rule census_join:
    input:
        chunks=lambda wildcards: expand(
            f"{RESULTS}/census/{wildcards.census}/chunks/{{chunk}}.parquet",
            chunk=chunks_of(wildcards.census, wildcards.extent),
        ),
    output:
        table=f"{CENSUS}/{{extent}}.parquet",
    log:
        f"{LOGS}/census_join/{{census}}_{{extent}}.log",
    wildcard_constraints:
        extent="sample|whole",
    localrule: True
    params:
        configuration=str(CONFIGURATION),
        changes=CHOSEN | OTHER_CHANGES,
        code=code("comparison.census.table"),
    message:
        "Joining the sample {wildcards.census} ({wildcards.extent})"
    script:
        "../scripts/census_join.py"


# A sample may be paired with another one (key `paired_with`). Its evaluation then needs the decision
# tree of the other sample, so the other sample is evaluated first.
for census, space in CENSUSES.items():
    other = space.census.paired_with

    rule:
        name:
            f"census_{census}"
        input:
            table=lambda wildcards, census=census: table_of(census, wildcards.extent),
            other=lambda wildcards, other=other: (
                table_of(other, wildcards.extent) if other else []
            ),
            tree=lambda wildcards, other=other: (
                f"{RESULTS}/census/{other}/{wildcards.extent}/tree.csv"
                if other
                else []
            ),
            records=[str(file) for file in sorted(RECORDED_SAMPLES.glob("*"))],
            request=f"{CONFIGURATION.parent}/{SETTINGS.census}/{census}.yaml",
            style=STYLE,
            notebook=notebook("census"),
        output:
            findings=expand(
                f"{RESULTS}/census/{census}/{{{{extent}}}}/{{finding}}.csv",
                finding=[*FINDINGS, *(PAIRED if other else [])],
            ),
            pictures=[
                f"{FIGURES}/census/{census}/{{extent}}/{name}.{kind}"
                for name in CENSUS_PICTURES
                for kind in ("pdf", "png")
            ],
            notebook=f"{RESULTS}/census/{census}/{{extent}}/{census}.ipynb",
        log:
            f"{LOGS}/census/{census}_{{extent}}.log",
        benchmark:
            f"{LOGS}/benchmarks/census/{census}_{{extent}}.tsv"
        threads: 1
        params:
            parameters=lambda wildcards, input, census=census, other=other: parameters(
                census=census,
                table=str(input.table),
                other=other,
                other_table=str(input.other) or None,
                other_tree=str(input.tree) or None,
                results=f"{RESULTS}/census/{census}/{wildcards.extent}",
                figures=f"{FIGURES}/census/{census}/{wildcards.extent}",
            ),
            code=code("api.sample", "models"),
        message:
            f"Reading the sample {census} ({{wildcards.extent}})"
        shell:
            RUN_NOTEBOOK


# Runs only on request: measures each whole sample, which takes an hour, and records it in data/.
# The records are not declared as outputs, because Snakemake deletes outputs of a failed job.
rule record_census:
    input:
        tables=expand(f"{RESULTS}/census/{{census}}/whole.parquet", census=CENSUSES),
        findings=findings(dict.fromkeys(CENSUSES, "whole")),
    output:
        touch(f"{RESULTS}/census/recorded.txt"),
    log:
        f"{LOGS}/record_census.log",
    params:
        configuration=str(CONFIGURATION),
        changes=CHOSEN | OTHER_CHANGES,
    message:
        "Keeping the samples in data/census"
    script:
        "../scripts/census_record.py"
