import { create } from 'zustand'
import { useLayout } from './layout-state'

/** The session in which the user is finding something; `asked` counts how often they said so, to bring the field back to the front. */
export const useFind = create<{ sessionId: string | undefined; asked: number }>()(() => ({ sessionId: undefined, asked: 0 }))

/** Opens the find bar of the session on screen; elsewhere there is nothing to find in. */
export function openFind(): void {
  const { view } = useLayout.getState()
  if (view.kind === 'session') useFind.setState(({ asked }) => ({ sessionId: view.sessionId, asked: asked + 1 }))
}

export function closeFind(): void {
  useFind.setState({ sessionId: undefined })
}
