import { describe, expect, it } from 'vitest'
import type { Todo } from '../../../../shared/model/turn/plan'
import { callTool, prepareCall } from '../../../../../test/support/call-tool'
import { todoListTool } from './todo-list'

function listWith(...initial: Todo[]) {
  const changes: Todo[][] = []
  const tool = todoListTool({
    todos: { get: () => changes.at(-1) ?? initial, set: (todos) => void changes.push(todos) },
  })
  return { changes, tool }
}

const A: Todo = { title: 'read the code', status: 'in_progress' }
const B: Todo = { title: 'fix it', status: 'pending' }

describe('TodoList', () => {
  it('reads without recording a change', async () => {
    const { changes, tool } = listWith(A, B)
    const { text, details } = await callTool(tool, {})
    expect(text).toContain('- [in_progress] read the code\n- [pending] fix it')
    expect(details).toEqual({ kind: 'todos', todos: [A, B] })
    expect(changes).toEqual([])
  })

  it('replaces the whole list', async () => {
    const { changes, tool } = listWith(A)
    const { text } = await callTool(tool, { todos: [{ ...A, status: 'done' }, B] })
    expect(changes).toEqual([[{ ...A, status: 'done' }, B]])
    expect(text).toContain('1 of 2 done')
    expect(text).toContain('No item is in_progress')
  })

  it('clears with an empty list', async () => {
    const { changes, tool } = listWith(A)
    expect((await callTool(tool, { todos: [] })).text).toBe('The to-do list was cleared.')
    expect(changes).toEqual([[]])
  })

  it('reminds of one item in progress at a time, until all is done', async () => {
    const { tool } = listWith()
    expect((await callTool(tool, { todos: [A] })).text).toContain('Keep exactly one item in_progress')
    expect((await callTool(tool, { todos: [A, A] })).text).toContain('2 items are in_progress: keep exactly one')
    expect((await callTool(tool, { todos: [{ ...A, status: 'done' }] })).text).not.toContain('in_progress')
  })

  it('changes nothing before it runs, and never asks', async () => {
    const { changes, tool } = listWith()
    const call = await prepareCall(tool, { todos: [B] })
    expect(call).toMatchObject({ summary: '0 of 1 done', accesses: [] })
    expect(tool.annotations.readOnly).toBe(true)
    expect(changes).toEqual([])
  })

  it('refuses blank titles and unknown statuses', () => {
    const { tool } = listWith()
    expect(tool.input().safeParse({ todos: [{ title: '  ', status: 'done' }] }).success).toBe(false)
    expect(tool.input().safeParse({ todos: [{ title: 'x', status: 'started' }] }).success).toBe(false)
  })
})
