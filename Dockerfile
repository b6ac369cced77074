# An image of the released packages: npm run release && docker build -t millrace .
ARG BASE=node:24-slim

FROM ${BASE} AS install
COPY release/*.tgz /release/
# Offline: everything that the server needs is in the two packages.
RUN npm install --global --prefix /opt/millrace --offline --no-audit --no-fund --loglevel=error \
    /release/millrace-[0-9]*.tgz /release/millrace-native-linux-$(node -p process.arch)-*.tgz

FROM ${BASE}
LABEL org.opencontainers.image.title="Millrace" \
      org.opencontainers.image.source="https://github.com/millrace/millrace" \
      org.opencontainers.image.licenses="MIT" \
      io.modelcontextprotocol.server.name="io.github.millrace/millrace"
COPY --from=install /opt/millrace /opt/millrace
RUN mkdir /data && chown 1000:1000 /data
ENV PATH=/opt/millrace/bin:$PATH \
    HOME=/data \
    MILLRACE_HOME=/data \
    MILLRACE_HOST=0.0.0.0
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 4747
# For `serve`. A container that serves over stdio does not listen: start it with --no-healthcheck.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MILLRACE_PORT || 4747}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["millrace"]
