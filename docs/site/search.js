// Ask the built site's own search, as a browser does: node docs/site/search.js SITE QUERY...
// Prints a JSON object: query -> addresses of the pages and sections that it finds, best first.
const fs = require("fs")
const path = require("path")
const vm = require("vm")

const SETUP = 0
const QUERY = 2
const [site, ...queries] = process.argv.slice(2)
const workers = path.join(site, "assets/javascripts/workers")
const read = (...parts) => fs.readFileSync(path.join(...parts), "utf8")

let listener
let answer
const worker = {
  console: { ...console, warn() {} },
  addEventListener: (_, found) => { listener = found },
  postMessage: (message) => { answer = message },
  importScripts: (...names) => names.forEach((name) => vm.runInContext(read(workers, name), worker)),
}
worker.self = worker
vm.createContext(worker)
vm.runInContext(read(workers, fs.readdirSync(workers).find((name) => /^search\..*\.js$/.test(name))), worker)

async function main() {
  const index = JSON.parse(read(site, "search/search_index.json"))
  await listener({ data: { type: SETUP, data: { ...index, options: { suggest: false } } } })
  const results = {}
  for (const query of queries) {
    await listener({ data: { type: QUERY, data: query } })
    results[query] = answer.data.items.map((sections) => sections[0].location)
  }
  console.log(JSON.stringify(results))
}

main()
