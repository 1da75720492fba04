# Commands on tables of this machine, without a network, as the user who runs it:
#   docker build --file deploy/audit.Dockerfile --tag discretion-audit .
#   docker run --rm --network none --user "$(id -u):$(id -g)" --volume "$PWD:/data" discretion-audit audit /data/people.csv
FROM python:3.11.14-slim-bookworm AS built
WORKDIR /source
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src ./src
# By uv, which reads in pyproject.toml the versions that Discretion was tested with.
RUN pip install --no-cache-dir uv \
    && uv venv /opt/discretion \
    && uv pip install --no-cache --compile-bytecode --python /opt/discretion '.[excel]'

FROM python:3.11.14-slim-bookworm
COPY --from=built /opt/discretion /opt/discretion
USER 10001:10001
# Any user may run it, who has no home here: what Numba compiles goes with the container.
ENV PYTHONDONTWRITEBYTECODE=1 NUMBA_CACHE_DIR=/tmp/numba
WORKDIR /data
ENTRYPOINT ["/opt/discretion/bin/discretion"]
