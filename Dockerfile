# The cloud in one image, without the player: docker build -t placard-cloud . && docker run …; see docs/run-a-cloud.md, "In a container".
FROM node:24-slim AS build
WORKDIR /app
# No install scripts run (.npmrc), and the versions are those of the lock file.
COPY package.json package-lock.json .npmrc ./
COPY build/node/ build/node/
COPY packages/ packages/
RUN npm ci --no-audit --no-fund
COPY build/node-bundle.ts build/
COPY tsconfig.json ./
COPY scripts/ scripts/
# The console shows previews and faults as the screens do.
COPY renderer/stage/ renderer/stage/
COPY renderer/strings/ renderer/strings/
RUN node --run build:cloud
# What the bundle does not contain: native code, and what only some clouds load. The optional video decoder is under the GPL
# (docs/adr/0016-media-inspection-processes.md): --build-arg VIDEO_DECODER=yes adds it to an image that you do not pass on.
ARG VIDEO_DECODER=no
RUN rm -rf node_modules \
  && npm ci --omit=dev --workspace packages/cloud --no-audit --no-fund \
  && if [ "$VIDEO_DECODER" != yes ]; then rm -rf node_modules/@mediabunny/server node_modules/node-av node_modules/@seydx; fi \
  && rm -rf node_modules/@placard \
  && mkdir /data

FROM node:24-slim
ENV NODE_ENV=production \
  MALLOC_ARENA_MAX=2 \
  MALLOC_MMAP_THRESHOLD_=131072 \
  PLACARD_HOST=0.0.0.0 \
  PLACARD_PORT=8787 \
  PLACARD_DATA=/data
WORKDIR /app
# Owned by root: the program cannot change itself. Only the volume is written.
COPY --from=build /app/node_modules/ node_modules/
COPY --from=build /app/packages/cloud/package.json packages/cloud/package.json
COPY --from=build /app/packages/cloud/dist/ packages/cloud/dist/
COPY --from=build --chown=node:node /data/ /data/
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PLACARD_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The program handles SIGTERM itself; no shell is between.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--max-semi-space-size=32", "--no-parallel-scavenge", "packages/cloud/dist/program/main.js"]
