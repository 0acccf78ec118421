import { expect, test } from 'vitest'
import { judgeCommand } from '../../../../test/support/judge-command'

const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'length']
const SHAPES = [
  '%',
  '% x',
  '/usr/bin/% x',
  'sudo % x',
  'git % x',
  'find . -%',
  'npm % x',
  'docker % x',
  'curl --% x',
  'ssh -o % x',
  'x=1 % --% %',
  'echo x | % > %',
  'tar --%=% x',
  'pip % install x',
  'timeout % x',
  'env % x',
  'xargs %',
  'kubectl % x',
  'systemctl % x',
]

test.each(NAMES)('the word %s is treated like any other unknown word in a command', async (name) => {
  const judged = async (word: string): Promise<string> => {
    const all = await Promise.all(SHAPES.map((shape) => judgeCommand(shape.replaceAll('%', word), { cwd: '/' })))
    return JSON.stringify(all).replaceAll(word, '%')
  }
  expect(await judged(name)).toBe(await judged('wonderland'))
})
