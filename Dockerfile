# The executable on a base without shell, packages or root. The first stage makes it, the second holds it and nothing else.
#   docker build -t agenthall .
#   docker run -p 8080:8080 -v agenthall:/data agenthall

FROM node:24-trixie-slim AS build
WORKDIR /agenthall
# Makes the executable 30 MB smaller; the version is Debian's.
RUN apt-get update && apt-get install -y --no-install-recommends binutils && rm -rf /var/lib/apt/lists/*
# First what changes seldom, so that the packages are fetched anew only when the list of them changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build \
  && mkdir -p out/data \
  && mv dist/agenthall-linux-* out/agenthall \
  && mv dist/THIRD-PARTY-LICENSES out/

FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=build /agenthall/out/agenthall /usr/local/bin/agenthall
COPY --from=build /agenthall/out/THIRD-PARTY-LICENSES /usr/share/doc/agenthall/
# A new volume takes the owner of the directory that it is put over.
COPY --from=build --chown=65532:65532 /agenthall/out/data /data
ENV AGENTHALL_DATA=/data AGENTHALL_HOST=0.0.0.0
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/local/bin/agenthall", "health"]
ENTRYPOINT ["/usr/local/bin/agenthall"]
CMD ["serve"]
