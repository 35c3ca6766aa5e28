# Random samples of connections (censuses): measured and predicted in chunks of connections, then
# evaluated. By default a run evaluates the recorded table of each whole sample in data/census. If
# this table is missing, the run measures a part of the sample. `snakemake record_census` measures
# whole samples, and `snakemake results/census/SAMPLE/recorded.txt` one of them.
#
# in:  config/census/SAMPLE.yaml, data/census/SAMPLE.parquet
# out: results/census/SAMPLE/EXTENT/, figures/census/SAMPLE/EXTENT/

CENSUS = f"{RESULTS}/census/{{census}}"
CENSUS_PICTURES = shown(
    expand(
        f"{FIGURES}/census/{{census}}/{{extent}}/{{name}}.{{kind}}",
        name=OF_SAMPLES,
        kind=["pdf", "png"],
        allow_missing=True,
    ),
    "Random samples",
)
PICTURES_OF_PAIRS = shown(
    expand(
        f"{FIGURES}/census/{{census}}/{{extent}}/{{name}}.{{kind}}",
        name=OF_PAIRS,
        kind=["pdf", "png"],
        allow_missing=True,
    ),
    "Random samples",
)
CENSUS_INPUT = {
    "table": lambda wildcards: table_of(wildcards.census, wildcards.extent),
    "request": ancient(census_file("{census}")),
    "families": ancient(comparison_files()),
    "style": ancient(STYLE),
    "notebook": notebook("census"),
}


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


rule census:
    input:
        **CENSUS_INPUT,
        records=lambda wildcards: sample_records(wildcards.census),
    output:
        findings=expand(
            f"{CENSUS}/{{extent}}/{{finding}}.csv",
            finding=FINDINGS,
            allow_missing=True,
        ),
        pictures=CENSUS_PICTURES,
        notebook=f"{CENSUS}/{{extent}}/{{census}}.ipynb",
    log:
        f"{LOGS}/census/{{census}}_{{extent}}.log",
    benchmark:
        f"{LOGS}/benchmarks/census/{{census}}_{{extent}}.tsv"
    wildcard_constraints:
        census="|".join(PLAIN_SAMPLES) or "(?!)",
    threads: 1
    params:
        parameters=lambda wildcards: parameters(
            census=wildcards.census,
            table=table_of(wildcards.census, wildcards.extent),
            results=f"{RESULTS}/census/{wildcards.census}/{wildcards.extent}",
            figures=f"{FIGURES}/census/{wildcards.census}/{wildcards.extent}",
        ),
        content=lambda wildcards: content(
            census_file(wildcards.census), *comparison_files(), STYLE
        ),
        code=code("api.sample", "models"),
    message:
        "Reading the sample {wildcards.census} ({wildcards.extent})"
    shell:
        RUN_NOTEBOOK


# A sample with the key `paired_with` has the same connections as another sample, with another
# sender. Its evaluation also reads the table of the other sample.
use rule census as census_paired with:
    input:
        **CENSUS_INPUT,
        other=lambda wildcards: other_table_of(wildcards.census, wildcards.extent),
        records=lambda wildcards: sample_records(
            wildcards.census, OTHER_SAMPLE[wildcards.census]
        ),
    output:
        findings=expand(
            f"{CENSUS}/{{extent}}/{{finding}}.csv",
            finding=[*FINDINGS, *PAIRED],
            allow_missing=True,
        ),
        pictures=CENSUS_PICTURES + PICTURES_OF_PAIRS,
        notebook=f"{CENSUS}/{{extent}}/{{census}}.ipynb",
    wildcard_constraints:
        census="|".join(OTHER_SAMPLE) or "(?!)",
    params:
        parameters=lambda wildcards: parameters(
            census=wildcards.census,
            table=table_of(wildcards.census, wildcards.extent),
            other=OTHER_SAMPLE[wildcards.census],
            other_table=other_table_of(wildcards.census, wildcards.extent),
            results=f"{RESULTS}/census/{wildcards.census}/{wildcards.extent}",
            figures=f"{FIGURES}/census/{wildcards.census}/{wildcards.extent}",
        ),


# A sample whose links retransmit also has a table of what it is worth to know this.
use rule census as census_on_links with:
    output:
        findings=expand(
            f"{CENSUS}/{{extent}}/{{finding}}.csv",
            finding=[*FINDINGS, *RETRANSMITTING],
            allow_missing=True,
        ),
        pictures=CENSUS_PICTURES,
        notebook=f"{CENSUS}/{{extent}}/{{census}}.ipynb",
    wildcard_constraints:
        census="|".join(ON_LINKS) or "(?!)",


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
        configuration=str(CONFIGURATION),
        changes=CHOSEN | OTHER_CHANGES,
    message:
        "Keeping the sample {wildcards.census} in data/census"
    script:
        "../scripts/census_record.py"


rule record_census:
    input:
        expand(f"{CENSUS}/recorded.txt", census=CENSUSES),
        findings(dict.fromkeys(CENSUSES, "whole")),
