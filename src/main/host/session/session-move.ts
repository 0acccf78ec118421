import { plural } from '../../../shared/language/plural'
import { resolve } from 'node:path'
import { CodedError } from '../../../shared/errors'
import { oneLine } from '../../console/output'
import { refuseAgents } from '../../console/parse-action'
import { UsageError, type Parsed } from '../../console/parse-command'
import type { Engine } from '../../engine/engine-api'
import { PLACE_NAME } from '../../../shared/model/place/place'
import { pathInPlace } from '../../../shared/model/place/place-folder'

const ADDRESS = /^home-[\w-]{1,90}$/

/** `trestle session move ID PLACE|here`: moves a session to a place, or from one to this machine. */
export async function moveTo(
  engine: Engine,
  [sessionId = '', to = '']: string[],
  values: Parsed['values'],
): Promise<number> {
  if (await refuseAgents('session move')) return 2
  const { folder } = values
  const target = to === 'here' ? null : to
  if (target !== null && !PLACE_NAME.test(target))
    throw new UsageError(`"${to}" is not the name of a place.`, 'session')
  // Sessions of places can be found once the places have sent their lists.
  await engine.places.follow()
  const isJson = values['json'] === true
  for await (const push of engine.places.move({
    sessionId,
    to: target,
    ...(typeof folder === 'string' && { folder: target === null ? resolve(folder) : folder }),
  })) {
    if (push.type === 'step') {
      if (!isJson && push.text === undefined) process.stderr.write(`${STEPS[push.step]} …\n`)
      continue
    }
    const { moved } = push
    const where = target ?? 'this machine'
    say(
      values,
      { sessionId, to: target, ...(moved && { moved }) },
      `The session continues on ${where}${moved ? `, in ${pathInPlace(moved.folder)}` : ''}.\n` +
        (moved?.notes ?? []).map((note) => `${note}\n`).join(''),
    )
  }
  return 0
}

const STEPS = { connect: 'Connecting', seal: 'Packing the session', receive: 'Receiving it there' }

/** `trestle session move-out ID FILE --to ADDRESS`: seals a session and writes it to a file. */
export async function moveOut(
  engine: Engine,
  [sessionId = '', file = '']: string[],
  values: Parsed['values'],
): Promise<number> {
  const { to, place } = values
  if (typeof to !== 'string' || !ADDRESS.test(to))
    throw new UsageError(
      'move-out needs --to ADDRESS, the home that receives the session. ' +
        'Run "trestle session move-in" there without a file: it prints the address.',
      'session',
    )
  if (await refuseAgents('session move-out')) return 2
  const moved = await engine.moves.out(sessionId, resolve(file), {
    address: to,
    ...(typeof place === 'string' && { place }),
  })
  const { bytes, events, contents, hasProject, head, moveId } = moved
  const parts = [
    `${events} ${plural(events, 'event')}`,
    `${contents} ${plural(contents, 'kept content')}`,
    ...(hasProject ? ['the project'] : []),
  ]
  say(
    values,
    moved,
    `Wrote ${moved.file} (${Math.ceil(bytes / 1024)} KB: ${parts.join(', ')}).
The session is sealed here by ${moveId}. Receive it there:
  trestle session move-in FILE --head ${head}
`,
  )
  return 0
}

/** `trestle session move-in [FILE]`: receives a session; without a file, prints the address of this home. */
export async function moveIn(engine: Engine, [file]: string[], values: Parsed['values']): Promise<number> {
  if (file === undefined) {
    const { address } = await engine.moves.address()
    say(values, { address }, `${address}\n`)
    return 0
  }
  if (await refuseAgents('session move-in')) return 2
  const { folder, head } = values
  const moved = await engine.moves.in(resolve(file), {
    ...(typeof folder === 'string' && { folder: resolve(folder) }),
    ...(typeof head === 'string' && { head: head.toLowerCase() }),
  })
  const project = { written: 'Its project is in', present: 'Its project is already in', none: 'Its folder is' }
  say(
    values,
    moved,
    `Received ${moved.sessionId}  ${oneLine(moved.title)}
${project[moved.project]} ${moved.folder}
${moved.notes.map((note) => `${note}\n`).join('')}`,
  )
  return 0
}

/** `trestle session move-refuse MOVE`: ensures that the move is never received here. */
export async function moveRefuse(engine: Engine, [moveId = '']: string[], values: Parsed['values']): Promise<number> {
  if (!/^move-[\w-]{1,90}$/.test(moveId))
    throw new UsageError('move-refuse takes the id of a move, as move-out prints it.', 'session')
  if (await refuseAgents('session move-refuse')) return 2
  await engine.moves.refuse(moveId)
  say(values, { refused: moveId }, `${moveId} will never be received here. It can be cancelled where it comes from.\n`)
  return 0
}

/** `trestle session move-cancel ID --not-received`: removes the seal. */
export async function moveCancel(
  engine: Engine,
  [sessionId = '']: string[],
  values: Parsed['values'],
): Promise<number> {
  const { sealed } = engine.sessions.header(sessionId)
  if (!sealed) throw new CodedError('request.invalid', `The session ${sessionId} was not moved.`)
  if (values['not-received'] !== true)
    throw new UsageError(
      `First make sure that it was never received: run "trestle session move-refuse ${sealed.moveId}" there. ` +
        'Then cancel with --not-received.',
      'session',
    )
  if (await refuseAgents('session move-cancel')) return 2
  const header = await engine.moves.cancel(sessionId, sealed.moveId)
  say(values, header, `The session continues here. The file of ${sealed.moveId} must no longer be received.\n`)
  return 0
}

function say(values: Parsed['values'], json: unknown, text: string): void {
  process.stdout.write(values['json'] === true ? `${JSON.stringify(json)}\n` : text)
}
