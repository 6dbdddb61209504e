# Fairlead as a container. Nobody publishes the image: build it yourself, as docs/production.md says.
#   docker build -t fairlead .
# To build the same again later, name the digest: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:…
# glibc is needed (PostgreSQL's binaries), so no Alpine.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
# By the lock file. Not npm ci: it refuses a lock file without the optional parts for other platforms.
RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund
# The image's own Node runs the server: the one that npm brings would take another 190 MB.
RUN rm -rf node_modules/node-linux-* node_modules/.bin/node
COPY scripts scripts
COPY src src
COPY web web
RUN npm run build
# What the browser's bundles were made from; the server loads none of it.
RUN npm uninstall --no-save --omit=dev --ignore-scripts --no-audit --no-fund \
      @fontsource-variable/inter @fontsource-variable/jetbrains-mono \
      @mantine/charts @mantine/core @mantine/hooks @mantine/notifications @mantine/spotlight \
      @scalar/api-reference @tabler/icons-react @tanstack/react-query @tanstack/react-router \
      @vitejs/plugin-react openapi-fetch react react-dom recharts vite \
 && rm -rf node_modules/node-linux-* node_modules/.bin/node web

FROM ${NODE_IMAGE}
# tini is process 1: it hands signals on at any time, also while the server still starts (as process 1 Node would not
# be ended by one then), and takes up what PostgreSQL leaves behind.
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/*
# An account with an entry in /etc/passwd: PostgreSQL refuses to run as root, and as somebody unknown.
RUN groupadd --gid 10001 fairlead \
 && useradd --uid 10001 --gid 10001 --home-dir /data --shell /usr/sbin/nologin fairlead \
 && install -d -o fairlead -g fairlead -m 700 /data
WORKDIR /app
COPY --from=build /app ./
RUN install -d -o fairlead -g fairlead dist/compiled
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/data
USER 10001:10001
# Compiled ahead, by the user who will run it, so that a start is a third less work.
RUN node scripts/fill-compile-cache.js
VOLUME /data
EXPOSE 3000
# A stop drains for up to 10 s and then stops the database: give it 30 (docker stop --time 30; compose.yaml does).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "--max-semi-space-size=8", "src/start.js"]
