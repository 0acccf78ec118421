/** Text files are imported as strings at build time (tool prompts, the demo script). */
declare module '*.md?raw' {
  const text: string
  export default text
}
declare module '*.toml?raw' {
  const text: string
  export default text
}
declare module '*.yaml?raw' {
  const text: string
  export default text
}

declare module '*.txt?raw' {
  const text: string
  export default text
}

/** The package has types only for its main module. */
declare module 'pdfjs-dist/legacy/build/pdf.worker.mjs' {
  export const WorkerMessageHandler: unknown
}

declare module '*.js?raw' {
  const text: string
  export default text
}
