import{failed}from"./parts.js";import{fileOf}from"./main.js";import{render}from"./vendor/math.js";var OPTIONS={throwOnError:!0,strict:!1,trust:!1,maxSize:50},DEFINES=/\\(?:[gex]?def|let|futurelet|(?:re|provide)?newcommand|providecommand)(?![a-zA-Z])/,
MOST_EXPANDED=1e3,MOST_TOKENS=5e3,DEEPEST=200,PAUSE_MS=30;async function drawFormulas(formulas,signal){await styled();let began=performance.
now();for(let formula of formulas){if(performance.now()-began>PAUSE_MS&&(await new Promise(over=>setTimeout(over)),began=
performance.now()),signal.aborted)return;let source=formula.textContent??"",maxExpand=DEFINES.test(source)?Math.ceil(MOST_TOKENS/
source.length):MOST_EXPANDED,drawn=document.createElement("span");try{render(source,drawn,{...OPTIONS,maxExpand,displayMode:formula.
matches(".math-display")}),isDeep(drawn)?failed(formula,"formula"):formula.replaceChildren(drawn)}catch{failed(formula,"formula")}}}function isDeep(drawn){let level=[drawn];for(let depth=0;level.length&&depth<=DEEPEST;depth+=1)level=level.flatMap(
one=>[...one.children]);return level.length>0}function styled(){let href=fileOf("vendor/math.css");if(document.querySelector(
`link[href="${href}"]`))return;let link=Object.assign(document.createElement("link"),{rel:"stylesheet",href});return document.
head.append(link),new Promise(resolve=>{link.onload=link.onerror=resolve})}export{drawFormulas};
