# Thin wrappers: every target calls an npm script. Needs only Node.js >= 20.19 and npm. `run` is the program itself, so that signals
# reach it.
.PHONY: help run test check bench bench-check build site

help: ## Show this help
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  \1\t/'

run: node_modules/.installed ## Embedded cluster with every operator and its samples, until Ctrl-C; RUNTIME=process runs etcd as real processes
	@exec node scripts/run.mjs

test: node_modules/.installed ## Every test (10 to 20 minutes; npm run test:quick takes one)
	@npm test --silent

check: node_modules/.installed ## Format, lint, import boundaries, types
	@npm run check --silent

bench: node_modules/.installed ## Benchmarks, reported as ratios
	@npm run bench --silent

bench-check: node_modules/.installed ## Fails where a ratio to a peer is more than 15 % worse than the recorded one
	@npm run bench:check --silent

build: node_modules/.installed ## Build every package with its types
	@npm run build --silent

site: node_modules/.installed ## The documentation with its reference as a static site, in dist/site
	@npm run site --silent

# npm ci runs once, and again only when the lock file has changed.
node_modules/.installed: package-lock.json
	@echo "installing dependencies (npm ci)"
	@npm ci --no-audit --no-fund
	@touch $@
