/**
 * Prints the JSON Schemas of the built-in tools, by name, which the build embeds in the program: deriving them takes a
 * tenth of the startup time. The tools get dummy services, because their inputs do not depend on them.
 */
import '../test/support/ts-hooks.mjs'

const { deriveSchema } = await import('../src/main/engine/tool/registry.ts')
const { createSessionTools } = await import('../src/main/engine/turn/session/session-tools.ts')
const { callTool } = await import('../src/main/engine/tool/call-tool.ts')
const { deviceTools } = await import('../src/main/engine/tool/device/device-tools.ts')
const { mailTools } = await import('../src/main/engine/tool/mail/mail-tools.ts')
const { memoryTools } = await import('../src/main/engine/tool/memory/memory-tools.ts')
const { scheduleTools } = await import('../src/main/engine/tool/schedule/schedule-tools.ts')

/** Replaces every service: each of its properties, and its return value, is itself. */
const service: never = new Proxy(() => service, { get: () => service }) as never

const sessionTools = createSessionTools({
  commandsOf: service,
  tasksOf: service,
  webOf: service,
  planOf: service,
  agentsOf: service,
  checkpointsOf: service,
  skills: service,
  effectiveHeader: () => ({ folder: '/', addedFolders: [] }) as never,
  featureTools: () => [deviceTools, mailTools, memoryTools, scheduleTools].flatMap((tools) => tools(service)),
})
const tools = [...sessionTools.allTools({ header: {} } as never), callTool()]
process.stdout.write(JSON.stringify(Object.fromEntries(tools.map((tool) => [tool.name, deriveSchema(tool)]))))
