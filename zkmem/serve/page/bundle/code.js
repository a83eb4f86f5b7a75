import{asker,ready}from"./helper.js";import"./parts.js";import{fileOf}from"./main.js";var SLOWEST_MS=2e3,colour=asker(async()=>{let worker=new Worker(fileOf("drawing/codeworker.js"),{type:"module"});return await ready(
worker),{port:worker,end:()=>worker.terminate()}},SLOWEST_MS);async function colourCode(blocks,signal){for(let block of blocks){
let language=block.className.replace("language-",""),coloured=await colour({source:block.textContent??"",language},signal);
if(!coloured||signal.aborted)return;coloured.html&&(block.innerHTML=coloured.html)}}export{colourCode};
