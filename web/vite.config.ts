import { defineConfig } from "vitest/config";

// Built into the Python package; tools/build_web.py calls this and keeps a hash of the sources beside the result.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/andante/studio/static",
    emptyOutDir: true,
    target: "es2022",
    chunkSizeWarningLimit: 1500,
    license: { fileName: "licences.txt" }, // the texts of what is bundled; tools/build_web.py completes them
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: "three", test: /node_modules[\\/](three|urdf-loader)[\\/]/ }] },
      },
    },
  },
  server: { proxy: { "/rosbridge": { target: "ws://127.0.0.1:8642", ws: true }, "/robot": "http://127.0.0.1:8642", "/world": "http://127.0.0.1:8642" } },
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
});
