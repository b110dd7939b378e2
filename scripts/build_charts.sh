#!/usr/bin/env bash
# Build darnel/reports/html/vendor/plot.js again: Observable Plot with the parts of d3 it uses, in one script. Needs npm.
set -euo pipefail
target=$(cd "$(dirname "$0")/.." && pwd)/darnel/reports/html/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init -y >/dev/null
npm install --silent --save-exact @observablehq/plot@0.6.17 d3@7.9.2 esbuild@0.28.2
cat >charts.js <<'END'
export {areaY, axisX, axisY, barX, dot, gridX, gridY, line, plot, pointerX, ruleX, ruleY, text, tip} from "@observablehq/plot";
END
{
  echo "/*! Observable Plot 0.6.17 and D3 7.9.2 (a selection, bundled by esbuild)."
  cat node_modules/@observablehq/plot/LICENSE
  echo
  cat node_modules/d3/LICENSE
  for part in binary-search-bounds interval-tree-1d d3-ease; do
    echo
    echo "Part: $part"
    cat "node_modules/$part/LICENSE"
  done
  echo "*/"
} >notice.js
npx esbuild charts.js --bundle --minify --format=iife --global-name=Plot --charset=ascii --legal-comments=none \
  --target=es2020 --outfile=bundle.js --log-level=error
cat notice.js bundle.js >"$target/plot.js"
wc -c "$target/plot.js"
