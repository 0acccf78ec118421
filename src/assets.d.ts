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
