import{asker,ready}from"./helper.js";import{failed}from"./parts.js";import{A,fileOf,themeChanges}from"./main.js";var SLOWEST_MS=5e3,TOO_SLOW="takes too long to draw",SCRIPTS=["vendor/diagram.js","drawing/frame.js"],drawInFrame=asker(
started,SLOWEST_MS);function drawDiagrams(blocks,signal,onDemand){let diagrams=blocks.map(block=>({shown:block.closest("pre")??block,source:block.textContent??"",isWanted:!onDemand})),drawAll=async()=>{for(let[number,diagram]of diagrams.entries())
if(diagram.isWanted&&(await drawOne(diagram,signal)===TOO_SLOW&&wait(diagrams.slice(number+1)),signal.aborted))return},wait=waiting=>{
for(let diagram of waiting)diagram.isWanted=!1,diagram.shown.matches("pre")&&offer(diagram,signal)};onDemand&&wait(diagrams);
let isDark=null,stop=A(()=>{themeChanges.value;let now=isDarkNow();now!==isDark&&drawAll(),isDark=now});signal.addEventListener(
"abort",stop)}var isDarkNow=()=>getComputedStyle(document.documentElement).colorScheme==="dark";async function drawOne(diagram,signal){
let{source}=diagram,drawn=await drawInFrame({source,isDark:isDarkNow()},signal),{svg,width,height,failure}=drawn??{failure:TOO_SLOW};
if(signal.aborted)return failure;if(svg){let image=imageOf(svg,Number(width),Number(height),source);diagram.shown.replaceWith(
image),diagram.shown=image}else diagram.shown.matches(".failed")||(diagram.shown.classList.add("failed"),failed(diagram.
shown,"diagram",failure));return failure}function offer(diagram,signal){let button=document.createElement("button");Object.
assign(button,{type:"button",className:"draw",textContent:"Draw this diagram"}),diagram.shown.closest(".hover-card")&&(button.
tabIndex=-1),button.onclick=async()=>{diagram.isWanted=!0,button.remove(),await drawOne(diagram,signal)},diagram.shown.before(
button)}function imageOf(svg,width,height,source){let image=new Image(width,height);return image.className="diagram",image.
alt=`Diagram: ${source.trim().slice(0,500)}`,image.src=URL.createObjectURL(new Blob([svg],{type:"image/svg+xml"})),image.
onload=image.onerror=()=>URL.revokeObjectURL(image.src),image}async function started(){let element=document.createElement(
"iframe");element.sandbox.add("allow-scripts"),Object.assign(element,{src:"diagram.html",title:"Drawing",className:"drawing",tabIndex:-1}),element.setAttribute("aria-hidden","true");let end=()=>element.remove(),loaded=new Promise(resolve=>element.
addEventListener("load",resolve,{once:!0}));document.body.append(element);try{let[scripts]=await Promise.all([Promise.all(
SCRIPTS.map(textOf)),loaded]),{port1:port,port2}=new MessageChannel,begun=ready(port);return element.contentWindow?.postMessage(
scripts,"*",[port2]),await begun,{port,end}}catch(error){throw end(),error}}async function textOf(path){let response=await fetch(
fileOf(path));if(!response.ok)throw new Error(`the server does not send ${path}.`);return response.text()}export{drawDiagrams};
