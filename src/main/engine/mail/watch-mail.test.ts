import { expect, it, onTestFinished } from 'vitest'
import type { MailPosition } from '../../../shared/model/assistant/mail'
import { scriptedImap, type ScriptedAnswer } from '../../../../test/support/mail/scripted-imap'
import { until } from '../../../../test/support/until'
import { createFolderWatcher } from './watch-mail'

const OPENED = ['* 1 EXISTS', '* OK [UIDVALIDITY 5] valid', '* OK [UIDNEXT 8] next']
/** Answers every search with these numbers. */
const finds =
  (uids: readonly number[]): ScriptedAnswer =>
  ({ command, tag, say }) => {
    if (command !== 'UID SEARCH') return false
    say(['* SEARCH', ...uids].join(' '))
    say(`${tag} OK`)
    return true
  }
const headers = (subject: string): string =>
  `BODY[HEADER.FIELDS (SUBJECT)] {${subject.length + 13}}\r\nSubject: ${subject}\r\n\r\n`

/** Watches the folder of a scripted server. */
async function watched(opened: readonly string[], answer: ScriptedAnswer, since?: MailPosition) {
  const { signed, commands } = await scriptedImap(opened, answer)
  const seen: { mails: string[]; positions: MailPosition[]; problems: unknown[] } = {
    mails: [],
    positions: [],
    problems: [],
  }
  const watcher = createFolderWatcher('INBOX', { sign: async () => signed })
  onTestFinished(() => watcher.close())
  watcher.add({
    filter: { subject: 'Hello' },
    ...(since && { since }),
    onMail: ({ id, subject }, position) => {
      seen.mails.push(`${id} ${subject}`)
      seen.positions.push(position)
    },
    onPosition: (position) => void seen.positions.push(position),
    onProblem: (problem) => void seen.problems.push(problem),
  })
  return { ...seen, commands }
}

it('starts at the newest message, even if the server does not report the next number', async () => {
  const { positions, problems } = await watched(OPENED.slice(0, 2), finds([3, 7]))
  await until(() => positions.length > 0, 'a position')
  expect([positions, problems]).toEqual([[{ validity: '5', uid: 7 }], []])
})

it('gives messages ids that can be read, even if the server does not report when the folder was created', async () => {
  const { mails } = await watched(
    [OPENED[0]!, OPENED[2]!],
    (asked) => {
      if (asked.command !== 'UID FETCH') return finds([9])(asked)
      asked.say(`* 1 FETCH (UID 9 ${headers('Hello')})`)
      asked.say(`${asked.tag} OK`)
      return true
    },
    { validity: '0', uid: 7 },
  )
  await until(() => mails.length > 0, 'the message')
  expect(mails).toEqual(['work:INBOX:0-9 Hello'])
})

it('takes up a folder with more new messages than a function can have arguments', async () => {
  const all = Array.from({ length: 200_000 }, (_, index) => index + 1)
  const { positions, problems } = await watched(
    OPENED,
    (asked) => {
      // Only the first message matches the filter, and it is gone when it is fetched.
      if (asked.command !== 'UID FETCH') return finds(asked.args.includes('SUBJECT') ? [1] : all)(asked)
      asked.say(`${asked.tag} OK`)
      return true
    },
    { validity: '5', uid: 0 },
  )
  await until(() => positions.length > 0, 'a position', 60_000)
  expect([positions, problems]).toEqual([[{ validity: '5', uid: 200_000 }], []])
})

it('reports only messages that were asked for, once, and no change of flags as a message', async () => {
  const { mails, positions } = await watched(
    OPENED,
    (asked) => {
      if (asked.command !== 'UID FETCH') return finds([7])(asked)
      const { say, tag } = asked
      say('* 1 FETCH (UID 4294967295 FLAGS ())')
      say('* 2 FETCH (FLAGS (\\Seen))')
      say('* 3 FETCH (UID 7 FLAGS (\\Seen))')
      say(`* 3 FETCH (UID 7 FLAGS (\\Seen) ${headers('Hello')})`)
      say('* 3 FETCH (UID 7 FLAGS ())')
      say(`${tag} OK`)
      return true
    },
    { validity: '5', uid: 5 },
  )
  await until(() => mails.length > 0, 'the message')
  expect([mails, positions]).toEqual([['work:INBOX:5-7 Hello'], [{ validity: '5', uid: 7 }]])
})

it('gives up an answer that never ends', async () => {
  const { problems } = await watched(
    OPENED,
    (asked) => {
      if (asked.command !== 'UID FETCH') return finds([7])(asked)
      for (let uid = 1; uid < 20_000; uid += 1) asked.say(`* 1 FETCH (UID ${uid} FLAGS ())`)
      return true
    },
    { validity: '5', uid: 5 },
  )
  await until(() => problems.length > 0, 'the problem', 60_000)
  expect(String(problems[0])).toContain('reported more messages than it was asked for')
})

it('looks for new messages once, however often the server says that there are some', async () => {
  let isQuiet = true
  const { commands } = await watched(
    OPENED,
    (asked) => {
      if (asked.command !== 'IDLE' || !isQuiet) return finds([])(asked)
      isQuiet = false
      asked.say('+ idling')
      for (let count = 2; count < 5000; count += 1) asked.say(`* ${count} EXISTS`)
      return true
    },
    { validity: '5', uid: 7 },
  )
  await until(() => commands.filter((command) => command === 'IDLE').length > 1, 'the next IDLE', 60_000)
  expect(commands.filter((command) => command === 'UID SEARCH').length).toBeLessThan(100)
})
