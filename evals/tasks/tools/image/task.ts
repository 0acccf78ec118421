import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { barChart } from '../../../support/bar-chart.ts'
import { call, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const COLORS = ['red', 'green', 'blue', 'orange']

const task: EvalTask = {
  about: 'Looks at a picture instead of trusting an old caption.',
  prompts: [`Which bar in chart.png is the highest: ${COLORS.join(', ')}? Answer with the color and nothing else.`],
  setup({ project }) {
    const chart = barChart([
      { color: [220, 30, 30], height: 90 },
      { color: [30, 160, 60], height: 130 },
      { color: [30, 70, 220], height: 60 },
      { color: [250, 150, 20], height: 210 },
    ])
    writeFileSync(join(project, 'chart.png'), chart)
  },
  check({ answer }) {
    const named = COLORS.filter((color) => answer.toLowerCase().includes(color))
    return named.join() === 'orange'
      ? []
      : [`The answer names ${named.join(', ') || 'no color'}; the orange bar is the highest.`]
  },
  good: {
    steps: [
      call('ReadMediaFile', { path: 'chart.png' }),
      // The scripted model cannot see: it answers right when the picture has reached it.
      ({ said }) => say(said.includes('data:image/') ? 'Orange' : 'No picture has come.'),
    ],
  },
  bad: {
    steps: [read('caption.txt'), say('Green')],
  },
}

export default task
