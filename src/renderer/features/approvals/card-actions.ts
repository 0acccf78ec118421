import { use, useEffect, useLayoutEffect, useRef, useState, type RefObject, useEffectEvent } from 'react'
import {
  REJECT_STOP,
  type ApprovalOption,
  type EditedProposal,
  type PersonAnswer,
  fixedKeys,
} from '../../../shared/model/approval/approval'
import type { Failure } from '../../../shared/errors'
import { FileSessionContext } from '../../state/file-links'
import { showNoticeToast } from '../../state/page/toasts-state'
import { frontSession } from '../../state/panes/panes-state'

/**
 * A button of the card. "Always" is one option of the engine but two buttons, because the user chooses the scope of the
 * rule right away.
 */
export type CardAction = { key: string; label: string; /** The equivalent key. */ kbd?: string } & (
  | { kind: 'once'; option: ApprovalOption }
  | { kind: 'always'; scope: 'session' | 'user' }
  | { kind: 'reject' }
  | { kind: 'stop'; option: ApprovalOption }
)

/** The buttons of a card, in the order of its options; for dangerous calls the safe answer comes first. */
export function cardActions(options: readonly ApprovalOption[], danger = false): CardAction[] {
  const keys = optionKeys(options, danger)
  const actions = options.flatMap((option): CardAction[] => {
    const key = option.optionId
    const own = keys.get(key)
    const kbd = own !== undefined && { kbd: own }
    switch (option.kind) {
      case 'allow_always':
        return [
          { key: `${key}:session`, label: 'Allow for this session…', kind: 'always', scope: 'session', ...kbd },
          {
            key: `${key}:user`,
            label: 'Allow always…',
            kind: 'always',
            scope: 'user',
            ...(own !== undefined && { kbd: String(Number(own) + 1) }),
          },
        ]
      case 'reject_once':
        if (key === REJECT_STOP) return [{ key, label: option.name, kind: 'stop', option }]
        return [{ key, label: option.name, kind: 'reject', ...kbd }]
      default:
        return [{ key, label: option.name, kind: 'once', option, ...kbd }]
    }
  })
  if (!danger) return actions
  return [...actions.filter(({ kind }) => kind === 'reject'), ...actions.filter(({ kind }) => kind !== 'reject')]
}

/** An answer: `rule` goes with "always", `feedback` with a rejection. */
export interface ApprovalReply extends PersonAnswer {
  /** The text to write instead of the proposed one. */
  edited?: EditedProposal
  rule?: { pattern: string; scope: 'session' | 'user' }
}

/**
 * The keys of a card's options, by option id. The key that rejects is always the same; the others count from 1 in the
 * order shown. Leaving the sandbox has no key when the sandbox is also offered, and dangerous calls are never allowed
 * by key.
 */
export function optionKeys(options: readonly ApprovalOption[], danger = false): ReadonlyMap<string, string> {
  const keys = fixedKeys(options)
  const allowing = options.filter((option, index) => option.kind !== 'reject_once' && !leavesSandbox(option, index))
  if (!danger) allowing.slice(0, 8).forEach(({ optionId }, index) => keys.set(optionId, String(index + 1)))
  return keys
}

/** Running without a sandbox although the sandbox is also offered. */
export function leavesSandbox({ kind, sandbox }: ApprovalOption, index: number): boolean {
  return kind !== 'reject_once' && index > 0 && sandbox === 'unrestricted'
}

/** A card ignores keys until it has been on screen this long, and for this long after another keystroke. In ms. */
const ANSWER_GRACE_MS = 600

/** The parts of a key press that the rules need. */
export interface CardKey {
  key: string
  at: number
  repeat: boolean
  modified: boolean
  composing: boolean
  /** Where it was typed: a text field with content, an empty one, a dialog or menu, or anywhere else. */
  where: 'text' | 'empty-text' | 'overlay' | 'elsewhere'
}

/**
 * The card's key that was pressed on purpose, or undefined. A user who is typing when a card appears does not mean the
 * card: keys soon after it appeared, soon after another key, or in a field with text are ignored.
 */
export function answerKey(
  press: CardKey,
  card: { shownAt: number; lastKeyAt: number; keys: readonly string[] },
): string | undefined {
  if (press.repeat || press.modified || press.composing) return undefined
  if (press.where === 'text' || press.where === 'overlay') return undefined
  if (!card.keys.includes(press.key)) return undefined
  if (press.at - card.shownAt < ANSWER_GRACE_MS || press.at - card.lastKeyAt < ANSWER_GRACE_MS) return undefined
  return press.key
}

interface AnswerGrace {
  /** Whether a click counts. */
  isArmed: boolean
  /** When the card reached its place, on the clock of key presses. */
  since: RefObject<{ place: string; at: number }>
}

/**
 * The time in which a card ignores answers: after it appears, and again whenever `place` changes, i.e. it moved under
 * the cursor.
 */
export function useAnswerGrace(place: string): AnswerGrace {
  const [armedAt, setArmedAt] = useState<string>()
  const since = useRef({ place, at: Number.POSITIVE_INFINITY })
  useLayoutEffect(() => {
    since.current = { place, at: performance.now() }
  }, [place])
  useEffect(() => {
    const timer = setTimeout(() => setArmedAt(place), ANSWER_GRACE_MS)
    return () => clearTimeout(timer)
  }, [place])
  return { isArmed: armedAt === place, since }
}

/**
 * Times of the last two key presses in this page; kept across cards, so that a new card knows that the user is typing.
 */
const presses = { last: Number.NEGATIVE_INFINITY, before: Number.NEGATIVE_INFINITY }
if (typeof window !== 'undefined') {
  // Registered before any card's listener, so that it sees each press even if a later listener stops it.
  const note = (event: KeyboardEvent): void => {
    presses.before = presses.last
    presses.last = event.timeStamp
  }
  window.addEventListener('keydown', note, { capture: true })
}

/**
 * Calls `onKey` for the card's keys pressed on purpose; the card has been in its place since `since`. `active` false:
 * the card shows a form.
 */
export function useCardKeys(
  keys: readonly string[],
  active: boolean,
  since: AnswerGrace['since'],
  onKey: (key: string) => void,
): void {
  const sessionId = use(FileSessionContext)
  // With several sessions side by side, keys apply to the one in front.
  const isMeant = (): boolean => sessionId === '' || (frontSession() ?? sessionId) === sessionId
  const keyFor = useEffectEvent((event: KeyboardEvent) =>
    !isMeant() ? undefined : answerKey(pressOf(event), { shownAt: since.current.at, lastKeyAt: presses.before, keys }),
  )
  const answer = useEffectEvent(onKey)
  useEffect(() => {
    if (!active) return undefined
    const listen = (event: KeyboardEvent): void => {
      const key = keyFor(event)
      if (key === undefined) return
      event.preventDefault()
      event.stopPropagation()
      answer(key)
    }
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  }, [active])
}

function pressOf(event: KeyboardEvent): CardKey {
  return {
    key: event.key,
    at: event.timeStamp,
    repeat: event.repeat,
    modified: event.ctrlKey || event.metaKey || event.altKey,
    composing: event.isComposing,
    where: focusPlaceOf(event.target),
  }
}

const OVERLAY = ['dialog', 'alertdialog', 'menu'].map((role) => `[role="${role}"][data-state="open"]`).join(', ')

function focusPlaceOf(target: EventTarget | null): CardKey['where'] {
  if (document.querySelector(OVERLAY)) return 'overlay'
  if (!(target instanceof HTMLElement)) return 'elsewhere'
  // The composer, which usually has the focus. Other fields (search, rename, edit) are elsewhere in the page: a number
  // is meant for them.
  if (target instanceof HTMLTextAreaElement && target.dataset['composer'] !== undefined)
    return target.dataset['composer'] === 'empty' ? 'empty-text' : 'text'
  return target.matches('input, textarea, select') || target.isContentEditable ? 'text' : 'elsewhere'
}

/**
 * Says that an answer came too late (`approval.gone`): another window may have given the opposite one. The card itself
 * disappears with the next push.
 */
export function reportUnusedAnswer({ message }: Failure): void {
  showNoticeToast(`Your answer was not used. ${message}`, 'info')
}
