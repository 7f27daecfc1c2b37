# The image of Coppice: the bundle on a base that has Node 24 at /nodejs/bin/node and no shell. Nothing is
# run, so one build serves every platform of the base:
#   npm run image -- --app && docker buildx build --platform linux/amd64,linux/arm64 .
# A release resolves the tag of the base to a digest and passes it as BASE (.github/workflows/release.yml).
# src/bundle/image.ts makes the same image without an engine; a test holds the two together.
ARG BASE=gcr.io/distroless/nodejs24-debian13:nonroot
FROM ${BASE}
COPY dist/image/app /app
USER 65532:65532
WORKDIR /app
ENV MALLOC_ARENA_MAX=2
ENTRYPOINT ["/nodejs/bin/node", "--max-semi-space-size=8", "--heap-growing-percent=60", "--min-semi-space-size=8", "--always-sparkplug", "--max-inlined-bytecode-size-cumulative=230", "/app/dist/bin/coppice.mjs"]
CMD ["help"]
