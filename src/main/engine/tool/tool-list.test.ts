import { expect, test } from 'vitest'
import { doneLabel, toolLabel } from '../../../shared/model/tool-label'
import { TOOL_LIST } from './tool-list'

test('no built-in tool shows people a name made of words run together', () => {
  for (const { name } of TOOL_LIST) {
    expect(toolLabel(name)).not.toMatch(/[a-z][A-Z]|_|URL/)
    expect(doneLabel(name)).not.toMatch(/[a-z][A-Z]|_|URL/)
  }
  expect(['ExitPlanMode', 'TodoList', 'ReadMediaFile', 'Bash'].map(doneLabel)).toEqual([
    'Planned',
    'Updated to-dos',
    'Looked at image',
    'Bash',
  ])
})
