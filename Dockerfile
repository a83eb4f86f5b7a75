# zkmem over HTTP. The notes are the volume /vault, what the user has allowed them is the volume /config (not kept in the
# vault, which may be somebody else's); see docs/how-to/service.md for the token that clients need.
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY zkmem zkmem
RUN python -m venv /opt/zkmem && /opt/zkmem/bin/pip install --no-cache-dir .

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --create-home zkmem \
    && install --directory --owner=zkmem /vault \
    && install --directory --mode=1777 /config
COPY --from=build /opt/zkmem /opt/zkmem
ENV PATH="/opt/zkmem/bin:$PATH" ZKMEM_VAULT=/vault XDG_CONFIG_HOME=/config
USER zkmem
VOLUME /vault /config
EXPOSE 13809
ENTRYPOINT ["zkmem"]
CMD ["serve", "/vault", "--mode", "http", "--host", "0.0.0.0", "--allow-host", "localhost"]
