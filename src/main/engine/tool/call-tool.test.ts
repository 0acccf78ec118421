import { expect, it } from 'vitest'
import { CALL_TOOL, callTool, unwrapCallTool } from './call-tool'
import { createRegistry } from './registry'

const written = (input: string) => ({ type: 'tool_call' as const, callId: 'c', name: CALL_TOOL, input })

it('becomes the call that was meant, and keeps what was written for the model', () => {
  const input = '{"name": "mcp__a__b", "arguments": {"n": 1}}'
  expect(unwrapCallTool(written(input))).toEqual({
    ...written('{"n":1}'),
    name: 'mcp__a__b',
    sentAs: { name: CALL_TOOL, input },
  })
  expect(unwrapCallTool(written('{"name":"x"}'))).toMatchObject({ name: 'x', input: '{}' })
  expect(unwrapCallTool(written('{"name":"x","arguments":"{\\"n\\":1}"}'))).toMatchObject({
    name: 'x',
    input: '{"n":1}',
  })
})

it('leaves any other call unchanged', () => {
  const other = { ...written('{"name":"x"}'), name: 'Read' }
  expect(unwrapCallTool(other)).toBe(other)
})

it('keeps an invalid call, or a call of call_tool itself, and answers it with advice', async () => {
  const registry = createRegistry([callTool()])
  const tool = registry.get(CALL_TOOL)!
  for (const input of ['{"name":', '[]', '{}', '{"name":3}', '{"name":"call_tool","arguments":{}}']) {
    const call = unwrapCallTool(written(input))
    expect(call.name).toBe(CALL_TOOL)
    const parsed = registry.parseInput(tool, call.input)
    const told = 'error' in parsed ? parsed.error : JSON.stringify(await tool.prepare(parsed.input))
    expect(told).toMatch(/call_tool/)
  }
})
