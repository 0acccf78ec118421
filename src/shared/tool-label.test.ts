import { expect, test } from 'vitest'
import { toolLabel, doneLabel, BUILTIN_TOOLS } from './tool-label'

test.each([
  ['mcp__tracker__create_issue', 'tracker · create_issue'],
  ['mcp__my_server__get__all', 'my_server · get__all'],
  ['mcp__a___hidden', 'a · _hidden'],
  ['Bash', 'Bash'],
  ['tool_search', 'Find tools'],
  ['constructor', 'constructor'],
  ['mcp__', 'mcp__'],
])('%s is shown as what it is, and a name of no server stays', (name, label) => {
  expect(toolLabel(name)).toBe(label)
})

test('no built-in tool has a display name of words run together', () => {
  for (const { name } of BUILTIN_TOOLS) {
    expect(toolLabel(name)).not.toMatch(/[a-z][A-Z]|_|URL/)
    expect(doneLabel(name)).not.toMatch(/[a-z][A-Z]|_|URL/)
  }
  expect(['ExitPlanMode', 'TodoList', 'ReadMediaFile', 'Bash'].map(doneLabel)).toEqual([
    'Planned',
    'Updated to-dos',
    'Viewed image',
    'Bash',
  ])
})
