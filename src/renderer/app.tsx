/** The whole page. */
export function App() {
  return <main className="p-6">Trestle</main>
}
