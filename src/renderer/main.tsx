import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { PAGE_PATHS } from '../shared/contract/page-paths'
import { App } from './app'
import { failureFrom } from './client/failure-from'
import { connectPage } from './client/page-connection'
import { preloadView, preloadWhenIdle, QuickPrompt } from './page-parts'
import { followApp } from './state/app-subscription'
import { followRoute } from './state/follow-route'
import { useLayout } from './state/layout-state'
import { followShown } from './state/follow-shown'
import { tellTheme } from './state/tell-theme'
import { followTheme } from './state/theme'
import { TrestleProvider } from './state/trestle-context'
import './styles/index.css'
import { ErrorBoundary } from './ui/error-boundary'
import { TooltipProvider } from './ui/tooltip'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

const queryClient = new QueryClient({
  defaultOptions: {
    // The engine is on this machine or behind its own connection: whether the browser thinks it is online says nothing.
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
followTheme()
tellTheme(connection.client)
const isQuickPrompt = location.pathname === `/${PAGE_PATHS.quick}`
if (!isQuickPrompt) {
  followRoute(connection.client)
  preloadView(useLayout.getState().view)
}
followApp(connection.client, queryClient)
followShown()

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
