import './styles/index.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { PAGE_PATHS } from '../shared/contract/page-host'
import { App } from './app'
import { failureFrom } from './client/failure-from'
import { connectPage } from './client/page-connection'
import { preloadView, preloadWhenIdle, QuickPrompt } from './views/lazy-views'
import { followApp } from './state/app-subscription'
import { followRoute } from './state/session/route'
import { useLayout } from './state/page/layout-state'
import { markShownAsRead } from './state/session-list/session-marks'
import { followAppearance, syncThemeToDesktop } from './state/page/appearance'
import { TrestleProvider } from './state/page/queries'
import { ErrorBoundary } from './ui/notice'
import { keepPlace } from './ui/overlay/keep-place'
import { followFocus } from './ui/overlay/return-focus'
import { TooltipProvider } from './ui/tooltip'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

const queryClient = new QueryClient({
  defaultOptions: {
    // The engine is local or has its own connection, so the browser's online state is irrelevant.
    queries: {
      networkMode: 'always',
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (count, error) => count < 3 && failureFrom(error).retryable,
    },
    mutations: { networkMode: 'always' },
  },
})
const connection = connectPage()
followAppearance()
followFocus()
keepPlace()
syncThemeToDesktop(connection.client)
const isQuickPrompt = location.pathname === `/${PAGE_PATHS.quick}`
if (!isQuickPrompt) {
  followRoute(connection.client)
  preloadView(useLayout.getState().view)
}
followApp(connection.client, queryClient)
markShownAsRead(connection.client)

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <TrestleProvider client={connection.client}>
        <TooltipProvider>
          <ErrorBoundary>{isQuickPrompt ? <QuickPrompt /> : <App connection={connection} />}</ErrorBoundary>
        </TooltipProvider>
      </TrestleProvider>
    </QueryClientProvider>
  </StrictMode>,
)
if (!isQuickPrompt) preloadWhenIdle()
