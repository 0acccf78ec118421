import { create } from 'zustand'
import { useLayout } from '../../state/page/layout-state'
import { useClient, useSettings } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { useSessionHeader } from '../../state/session/session-view'
import { ModelPicker } from './model-picker'

/** The session whose picker is open. */
const useOpenPicker = create<{ sessionId: string | undefined }>()(() => ({ sessionId: undefined }))

/** Opens the model picker of a session: `/model`. */
export function openModelPicker(sessionId: string): void {
  useOpenPicker.setState({ sessionId })
}

/** The model of a session, and the picker. */
export function SessionModelPill({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const header = useSessionHeader(sessionId)
  const { data: settings } = useSettings()
  const open = useOpenPicker((state) => state.sessionId === sessionId)
  if (!header || !settings) return null
  return (
    <ModelPicker
      settings={settings}
      model={header.model ?? settings.defaultModel}
      open={open}
      onOpenChange={(now) => useOpenPicker.setState({ sessionId: now ? sessionId : undefined })}
      onChoose={(model) => void client.session.change({ sessionId, model }).catch(showFailureToast)}
      onConnect={() => useLayout.getState().openSettings('providers')}
    />
  )
}
