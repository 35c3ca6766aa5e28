# Random samples of connections (censuses): measured and predicted in chunks of connections, then
# evaluated. By default a run evaluates the recorded table of each whole sample in data/census. If
# this table is missing, the run measures a part of the sample. `snakemake record_census` measures
# whole samples, and `snakemake results/census/SAMPLE/recorded.txt` one of them.
#
# in:  config/census/SAMPLE.yaml, data/census/SAMPLE.parquet
# out: results/census/SAMPLE/EXTENT/, figures/census/SAMPLE/EXTENT/

CENSUS = f"{RESULTS}/census/{{census}}"


wildcard_constraints:
    census="|".join(CENSUSES) or "(?!)",
    extent="sample|whole|recorded",
    chunk=r"\d+-\d+",


rule census_chunk:
    input:
        OWN_MODELS,
        request=ancient(census_file("{census}")),
        data=lambda wildcards: DATA_FILES["censuses"][wildcards.census],
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
        options=configuration_options(OTHER_CHANGES),
        content=lambda wildcards: content(census_file(wildcards.census)),
        code=code("comparison.census.measure", "models"),
    message:
        "Measuring points {wildcards.chunk} of the sample {wildcards.census}"
    shell:
        "python -m tcpgoodput.project.census {wildcards.census:q} {output.chunk:q}"
        " {params.options} > {log:q} 2>&1"


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
        options=configuration_options(OTHER_CHANGES),
        code=code("comparison.census.measure"),
    message:
        "Joining the sample {wildcards.census} ({wildcards.extent})"
    shell:
        "python -m tcpgoodput.project.census {wildcards.census:q} {output.table:q} {input.chunks:q}"
        " {params.options} > {log:q} 2>&1"


# One rule for each kind of sample. The evaluation of a paired sample also reads the table of the
# other sample.
for evaluating, further in FURTHER_FINDINGS.items():

    rule:
        name:
            evaluating
        input:
            table=lambda wildcards: table_of(wildcards.census, wildcards.extent),
            request=ancient(census_file("{census}")),
            families=ancient(COMPARISON_FILES),
            style=ancient(STYLE),
            notebook=notebook("census"),
            other=lambda wildcards: other_table_of(wildcards.census, wildcards.extent),
            records=lambda wildcards: sample_records(wildcards.census),
        output:
            findings=expand(
                f"{CENSUS}/{{extent}}/{{finding}}.csv",
                finding=[*FINDINGS, *further],
                allow_missing=True,
            ),
            pictures=shown(
                drawn(
                    "census/{census}/{extent}",
                    [*OF_SAMPLES, *(OF_PAIRS if further == PAIRED else ())],
                ),
                "Random samples",
            ),
            notebook=f"{CENSUS}/{{extent}}/{{census}}.ipynb",
        log:
            f"{LOGS}/census/{{census}}_{{extent}}.log",
        benchmark:
            f"{LOGS}/benchmarks/census/{{census}}_{{extent}}.tsv"
        wildcard_constraints:
            census="|".join(SAMPLES[evaluating]) or "(?!)",
        threads: 1
        params:
            parameters=lambda wildcards: sample_parameters(
                wildcards.census, wildcards.extent
            ),
            content=lambda wildcards: content(
                census_file(wildcards.census), *COMPARISON_FILES, STYLE
            ),
            code=code("api.sample", "models"),
        message:
            "Reading the sample {wildcards.census} ({wildcards.extent})"
        shell:
            RUN_NOTEBOOK


# Run only on request: they measure a whole sample, or each one, which takes hours, and keep it in data/.
# The files in data/ are not declared as outputs, because Snakemake deletes outputs of a failed job.
rule record_sample:
    input:
        table=f"{CENSUS}/whole.parquet",
    output:
        touch(f"{CENSUS}/recorded.txt"),
    log:
        f"{LOGS}/record_sample/{{census}}.log",
    params:
        options=configuration_options(OTHER_CHANGES),
    message:
        "Keeping the sample {wildcards.census} in data/census"
    shell:
        "python -m tcpgoodput.project.census {wildcards.census:q} {input.table:q} --record"
        " {params.options} > {log:q} 2>&1"


rule record_census:
    input:
        expand(f"{CENSUS}/recorded.txt", census=CENSUSES),
        findings(dict.fromkeys(CENSUSES, "whole")),
