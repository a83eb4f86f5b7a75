# zkmem over HTTP. The volume /vault has the notes. The volume /config has the user's permissions, which must not be in the
# vault, since that may be somebody else's. docs/how-to/service.md describes the token that clients need.
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
