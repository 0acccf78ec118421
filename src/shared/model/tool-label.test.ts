import { expect, test } from 'vitest'
import { toolLabel } from './tool-label'

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
