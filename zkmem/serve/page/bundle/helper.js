function asker(start,slowest){let helper=null,last=Promise.resolve(),ask=async(question,signal)=>{helper??=start();let{port,
end}=await helper.catch(error=>{throw helper=null,error});if(signal.aborted)return null;let answer=await answerOf(port,question,
slowest,signal);return answer===null&&(end(),helper=null),answer};return(question,signal)=>{let answer=last.then(()=>signal.
aborted?null:ask(question,signal));return last=answer.catch(()=>null),answer}}function answerOf(port,question,slowest,signal){
return new Promise(resolve=>{let finish=answer=>{clearTimeout(timer),port.onmessage=null,signal.removeEventListener("abort",giveUp),resolve(answer)},giveUp=()=>finish(null),timer=setTimeout(giveUp,slowest);signal.addEventListener("abort",giveUp),
port.onmessage=({data})=>finish(data),port.postMessage(question)})}function ready(port){return new Promise((resolve,reject)=>{
let timer=setTimeout(()=>reject(new Error("a script of the page does not start.")),3e4);port.onmessage=message=>(clearTimeout(
timer),resolve(message)),port instanceof Worker&&(port.onerror=()=>reject(new Error("a script of the page could not be loaded.")))})}export{asker,ready};
