import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CodedError } from '../../../shared/errors'
import type { EventBody } from '../../../shared/events/event'
import type { PlanDecision, PlanRevision, PlanState, PlanView } from '../../../shared/model/turn/plan'
import type { SessionHeader } from '../../../shared/model/session/session'
import howToPlan from './how-to-plan.md?raw'
import { errorCode } from '../../../shared/error-text'

/** How to work in plan mode; `canAsk`: whether a user can approve the plan. */
export function planInstructions(file: string, canAsk = true): string {
  const steps = howToPlan.trim().replaceAll('{file}', file)
  return canAsk ? steps : `${steps.slice(0, steps.indexOf('\n\n'))}\n\n${WITHOUT_APPROVAL.replace('{file}', file)}`
}

const WITHOUT_APPROVAL =
  'No user can approve a plan in this session, so plan mode stays on. ' +
  'Look into the task, write the plan to {file} in Markdown, and give the whole of it as your answer: ' +
  'what should change and where, in which order, and how it will be checked.'

/**
 * The message about plan mode before the agent's next step, if the user has switched the mode or the agent may have
 * forgotten it; otherwise undefined.
 */
export function planNotice(
  state: PlanState | undefined,
  file: () => string,
  canAsk = true,
): { plan: 'on' | 'off'; text: string } | undefined {
  if (!state || state.active === state.told) return undefined
  return state.active
    ? { plan: 'on', text: planInstructions(file(), canAsk) }
    : {
        plan: 'off',
        text:
          'The user turned plan mode off without approving a plan. ' +
          'All tools are available again, under the usual permissions.',
      }
}

/** Plan mode of one session: whether it is on, the plan's file, and every revision submitted to the user. */
export interface SessionPlan {
  readonly active: boolean
  /** The only file that may change while the mode is on; undefined if it is off. */
  guard(): { file: string } | undefined
  /** Absolute path of the current plan, with symlinks resolved. */
  file(): string
  /** The text of the file; undefined if it does not exist. */
  text(): Promise<string | undefined>
  /** Turns the mode on; does nothing if it is already on. */
  enter(by: 'user' | 'agent'): void
  /** Turns the mode off without a plan; does nothing if it is already off. */
  leave(): void
  /** The latest revision of the current plan. */
  latest(): PlanRevision | undefined
  /** The text of a revision; throws `plan.not_found`. */
  revisionText(of: { plan: number; revision: number }): Promise<string>
  /** Saves the text as the next revision. */
  submit(text: string): Promise<PlanRevision>
  /** Records the user's decision on a revision. */
  resolve(revision: number, decision: PlanDecision, choice?: string): void
  view(): Promise<PlanView>
}

export interface SessionPlanDeps {
  home: string
  sessionId: string
  header(): Pick<SessionHeader, 'plan'>
  record(...events: EventBody[]): void
}

const FIRST: PlanState = { active: false, plan: 1, told: false, revisions: [] }

export function createSessionPlan({ home, sessionId, header, record }: SessionPlanDeps): SessionPlan {
  const state = (): PlanState => header().plan ?? FIRST
  const folder = (): string => {
    const path = join(home, 'sessions', sessionId, 'plans')
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return realpathSync(path)
  }
  const file = (): string => join(folder(), `plan-${state().plan}.md`)
  /** The paths of a revision's text. After going back to an earlier message, its number is reused for another text. */
  const revisionFiles = ({ plan, revision }: { plan: number; revision: number }, hash?: string): string[] =>
    [...(hash === undefined ? [] : [`revision-${revision}-${hash.slice(0, 16)}.md`]), `revision-${revision}.md`].map(
      (name) => join(folder(), `plan-${plan}`, name),
    )
  const latest = (): PlanRevision | undefined => state().revisions.findLast(({ plan }) => plan === state().plan)
  const text = (): Promise<string | undefined> => readFile(file(), 'utf8').catch(missing)

  return {
    get active() {
      return state().active
    },
    guard: () => (state().active ? { file: file() } : undefined),
    file,
    text,
    enter(by) {
      const { active, plan } = state()
      if (active) return
      // An approved plan is not edited; a new one starts.
      record({ type: 'plan.entered', plan: latest()?.decision === 'approve' ? plan + 1 : plan, by })
    },
    leave() {
      if (state().active) record({ type: 'plan.left' })
    },
    latest,
    async revisionText(of) {
      const known = state().revisions.findLast(({ plan, revision }) => plan === of.plan && revision === of.revision)
      let found: string | undefined
      for (const path of revisionFiles(of, known?.hash)) found ??= await readFile(path, 'utf8').catch(missing)
      if (found === undefined)
        throw new CodedError('plan.not_found', `There is no revision ${of.revision} of plan ${of.plan}.`)
      return found
    },
    async submit(submitted) {
      const { plan } = state()
      const revision = (latest()?.revision ?? 0) + 1
      const hash = createHash('sha256').update(submitted).digest('hex')
      const [path] = revisionFiles({ plan, revision }, hash)
      mkdirSync(dirname(path!), { recursive: true, mode: 0o700 })
      await writeFile(path!, submitted, { mode: 0o600 })
      record({ type: 'plan.submitted', plan, revision, hash })
      return latest()!
    },
    resolve(revision, decision, choice) {
      record({ type: 'plan.resolved', plan: state().plan, revision, decision, ...(choice !== undefined && { choice }) })
    },
    async view() {
      const now = await text()
      return {
        active: state().active,
        file: file(),
        revisions: state().revisions,
        ...(now !== undefined && { text: now }),
      }
    },
  }
}

function missing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined
  throw error
}
