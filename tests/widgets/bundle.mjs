// Bundles the scripts of pages whose libraries come as modules only.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));
const scripts = readdirSync(folder).filter((name) => /^\d+-.*\.jsx?$/.test(name));
await build({
  absWorkingDir: folder,
  entryPoints: scripts.map((name) => join(folder, name)),
  outdir: join(folder, 'built'),
  bundle: true,
  format: 'iife',
  jsx: 'automatic',
  loader: { '.js': 'jsx' },
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
});
